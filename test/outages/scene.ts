import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { SeededCustomer } from '../../local/stack/customer-keys.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import type { Workplace } from '../support/stack/stack-process.ts';
import { registerEndpoints, type TestEndpoint } from './endpoints.ts';
import { impatientApp } from './impatient-app.ts';
import type { Outage, OutageName } from './outages.ts';
import { type Habit, type Receivers, startReceivers } from './receivers.ts';
import { RunEngine } from './run-engine.ts';
import { ServiceSwitch } from './service-switch.ts';

/** The waits of 10 and 50 minutes become 0.5 and 2.5 seconds. */
const timeScale = 1200;
const runEveryMs = 400;

/** The habits of the endpoints of each customer. */
const customerHabits: readonly (readonly Habit[])[] = [
  ['prompt', 'slow'],
  ['fails-once', 'prompt'],
  ['fails-twice', 'never-acknowledges', 'prompt'],
];
/** Everything that runs while outages are played. */
export type Scene = {
  readonly workplace: Workplace;
  readonly info: StackFile;
  readonly receivers: Receivers;
  readonly switches: ReadonlyMap<OutageName, ServiceSwitch>;
  readonly endpoints: readonly TestEndpoint[];
  readonly newcomer: SeededCustomer;
  readonly engine: RunEngine;
};

/** Starts the stack with its switches, customers and endpoints, and a Run engine that is idle at first. */
export async function setScene(
  outages: readonly Outage[],
  workplace: Workplace,
  parts: AsyncDisposableStack,
): Promise<Scene> {
  const receivers = await startReceivers(join(workplace.dir, '.local'));
  parts.defer(() => receivers.close());
  const { stack, switches } = await startSwitchedStack(outages, workplace, receivers, parts);
  const { info } = stack;
  const { customers, newcomer } = await makeCustomers(info);
  const registered = await Promise.all(
    customers.map((customer, index) =>
      registerEndpoints(info, receivers, customer, customerHabits[index] ?? []),
    ),
  );
  const customerIds = customers.map(({ id }) => id);
  const engine = new RunEngine({ stack: () => info, customerIds, everyMs: runEveryMs });
  parts.defer(() => engine.abandon());
  return { workplace, info, receivers, switches, endpoints: registered.flat(), newcomer, engine };
}

/** The stack, with a switch in front of each service of an outage. */
async function startSwitchedStack(
  outages: readonly Outage[],
  { dir, stackFile }: Workplace,
  receivers: Receivers,
  parts: AsyncDisposableStack,
): Promise<Pick<Scene, 'switches'> & { readonly stack: RunningStack }> {
  const log = createWriteStream(join(dir, 'stack.log'));
  parts.defer(() => void log.end());
  const switches = new Map<OutageName, ServiceSwitch>();
  const stack = await startStack({
    port: 0,
    timeScale,
    stateDir: join(dir, '.local'),
    stackFile,
    dataDir: join(dir, 'data'),
    trustedOrigins: [receivers.origin],
    synthesize: impatientApp(join(dir, 'apps')),
    onLogLine: (source, line) => log.write(`${new Date().toISOString()} ${source} | ${line}\n`),
    wrapService: async (name, url) => {
      if (!outages.some(({ service }) => service === name)) return url;
      const made = await ServiceSwitch.inFrontOf(url);
      parts.defer(() => made.close());
      switches.set(name, made);
      return made.url;
    },
  });
  parts.defer(() => stack.close());
  parts.defer(async () => void (await Promise.all([...switches.values()].map((each) => each.bringBack()))));
  await stack.warmUp();
  return { stack, switches };
}

async function makeCustomers(info: StackFile) {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const names = [...customerHabits.map((_, index) => `Customer ${index + 1}`), 'Newcomer'];
  const customers = await seedCustomers(target, names);
  const newcomer = customers.at(-1);
  if (newcomer === undefined) throw new Error('The stack has no customers');
  return { customers: customers.slice(0, -1), newcomer };
}
