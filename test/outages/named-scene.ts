import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type EndpointGroup, endpointGroupOf } from '#shared/domain/endpoint-group.ts';
import type { SeededCustomer } from '../../local/stack/customer-keys.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { startStack } from '../../local/stack/start.ts';
import { synthesizeApp } from '../../local/stack/synthesize-app.ts';
import { createSelfSigned } from '../support/http/certificates.ts';
import { type NameServer, type NameServerAnswer, startNameServer } from '../support/http/name-server.ts';
import { type AlarmProperties, alarmProperties } from '../support/metrics/alarm.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import type { Workplace } from '../support/stack/stack-process.ts';
import { type OwnReceiver, startOwnReceiver } from '../support/stack/stack-receiver.ts';

const hostname = 'hooks.receivers.test';
const loopback = [[127, 0, 0, 1]];
const deadPath = '/dead';
/** More than the three that the alarm needs. */
const groupsOfEndpoints = 4;

/** A stack whose functions look up the host of every endpoint at a name server of the test. */
export type NamedScene = {
  readonly info: StackFile;
  readonly nameServer: NameServer & { answers: boolean };
  /** Lines of the functions' logs that carry metrics. */
  readonly lines: readonly string[];
  /** The templates of the stack that runs, read for the alarm with this text in its description. */
  readonly alarm: (description: string) => AlarmProperties;
  /** Customers of endpoints in four groups or more, which acknowledge every event. */
  readonly healthy: readonly StackCustomer[];
  readonly healthyEndpoints: readonly string[];
  /** The customer of one endpoint in another group, which acknowledges no event. */
  readonly dead: StackCustomer;
  readonly deadEndpoint: string;
};

export async function setNamedScene(
  { dir }: Workplace,
  timeScale: number,
  parts: AsyncDisposableStack,
): Promise<NamedScene> {
  const nameServer = await startSwitchedNameServer();
  parts.defer(() => nameServer.close());
  const receiver = await startNamedReceiver(join(dir, '.local'));
  parts.defer(() => receiver.close());
  const origin = receiver.origin.replace('localhost', hostname);
  const lines: string[] = [];
  let alarms: readonly Alarm[] = [];
  const stack = await startStack({
    port: 0,
    timeScale,
    stateDir: join(dir, '.local'),
    stackFile: null,
    trustedOrigins: [origin],
    nameServers: [nameServer.address],
    synthesize: async (request) => {
      await synthesizeApp(request);
      alarms = await readAlarms(request.outDir);
    },
    onLogLine: (_source, line) => {
      if (line.includes('"_aws"')) lines.push(line);
    },
  });
  parts.defer(() => stack.close());
  await stack.warmUp();
  return {
    info: stack.info,
    nameServer,
    lines,
    alarm: (description) => alarmOf(alarms, description),
    ...(await registerAll(stack.info, origin)),
  };
}

/** Knows one name; without `answers`, it knows no name at all. */
async function startSwitchedNameServer(): Promise<NamedScene['nameServer']> {
  const state = { answers: true };
  const server = await startNameServer((question): NameServerAnswer => {
    if (!state.answers || !question.endsWith(` ${hostname}`)) return 'nxdomain';
    return question.startsWith('A ') ? loopback : [];
  });
  return Object.assign(state, server);
}

/** Puts a certificate with the name of the receiver where the stack keeps and trusts its own. */
async function startNamedReceiver(stateDir: string): Promise<OwnReceiver> {
  const dns = ['receiver.localhost', '*.localhost', 'localhost', hostname];
  const pair = await createSelfSigned({ dns, ip: ['127.0.0.1'], until: 48 });
  await mkdir(join(stateDir, 'tls'), { recursive: true });
  await writeFile(join(stateDir, 'tls', 'certificate.json'), JSON.stringify(pair));
  return startOwnReceiver(pair, (path) => (path === deadPath ? 503 : 200));
}

type Customers = Pick<NamedScene, 'healthy' | 'healthyEndpoints' | 'dead' | 'deadEndpoint'>;

async function registerAll(info: StackFile, origin: string): Promise<Customers> {
  const [dead, ...healthy] = (await newCustomers(info)).map((customer) => new StackCustomer(info, customer));
  if (dead === undefined) throw new Error('The stack has no customers');
  const deadEndpoint = (await dead.register(origin + deadPath)).webhook.id;
  const healthyEndpoints: string[] = [];
  const used = new Set<StackCustomer>();
  while (otherGroups(healthyEndpoints, deadEndpoint).size < groupsOfEndpoints) {
    const made = healthyEndpoints.length;
    const customer = healthy[made % healthy.length];
    if (customer === undefined) throw new Error('The stack has one customer only');
    healthyEndpoints.push((await customer.register(`${origin}/healthy-${made}`)).webhook.id);
    used.add(customer);
  }
  return { healthy: [...used], healthyEndpoints, dead, deadEndpoint };
}

/** The groups of endpoints, without the group of the dead one. */
export function otherGroups(webhookIds: readonly string[], dead: string): ReadonlySet<EndpointGroup> {
  const groups = new Set(webhookIds.map(endpointGroupOf));
  groups.delete(endpointGroupOf(dead));
  return groups;
}

/** Ids are random: with five endpoints each, five customers have endpoints in four groups of eight. */
function newCustomers(info: StackFile): Promise<readonly SeededCustomer[]> {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  return seedCustomers(target, ['Dead', 'One', 'Two', 'Three', 'Four', 'Five']);
}

const alarmSchema = z.looseObject({ AlarmDescription: z.string() });
type Alarm = z.infer<typeof alarmSchema>;

const templateSchema = z.object({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.unknown() })),
});

async function readAlarms(outDir: string): Promise<readonly Alarm[]> {
  const names = (await readdir(outDir)).filter((name) => name.endsWith('.template.json'));
  const templates = await Promise.all(
    names.map(async (name) => templateSchema.parse(JSON.parse(await readFile(join(outDir, name), 'utf8')))),
  );
  return templates
    .flatMap(({ Resources }) => Object.values(Resources))
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ Properties }) => alarmSchema.parse(Properties));
}

function alarmOf(alarms: readonly Alarm[], description: string): AlarmProperties {
  const found = alarms.find(({ AlarmDescription }) => AlarmDescription.includes(description));
  if (found === undefined) throw new Error(`No alarm is described by "${description}"`);
  return alarmProperties.parse(found);
}
