import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { metrics } from '#shared/contract/metrics.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import { startStack } from '../../local/stack/start.ts';
import { synthesizeApp } from '../../local/stack/synthesize-app.ts';
import { createSelfSigned } from '../support/http/certificates.ts';
import { startNameServer } from '../support/http/name-server.ts';
import { type AlarmProperties, alarmProperties, alarmStates } from '../support/metrics/alarm.ts';
import { readEmbedded } from '../support/metrics/embedded-format.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { createWorkplace } from '../support/stack/stack-process.ts';
import { startOwnReceiver } from '../support/stack/stack-receiver.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

const hostname = 'hooks.receivers.test';
/** Ids are random: fifteen endpoints are in three groups of eight or more, which the alarm needs. */
const names = ['One', 'Two', 'Three'];
const endpointsEach = 5;
/** The period of the alarm. Each is played as fast as one attempt at every endpoint takes. */
const period = 5 * 60_000;

describe('the alarm over most attempts', () => {
  it('the alarm goes off during ten minutes without DNS, and neither before nor after', async () => {
    const { customers, lines, nameServer, alarm } = await setScene();
    const outcomes: unknown[] = [];
    const data = [];
    for (const [index, answers] of [true, true, false, false, true, true].entries()) {
      nameServer.answers = answers;
      const before = lines.length;
      for (const customer of customers) await customer.settleRun();
      const made = await eventually(async () => {
        const attempted = lines.slice(before).filter((line) => line.includes('"delivery.attempted"'));
        expect(attempted).toHaveLength(names.length * endpointsEach);
        return attempted.flatMap((line) => readEmbedded(line).data);
      });
      data.push(...made.map((datum) => ({ ...datum, at: index * period })));
      const attempts = made.filter(({ name }) => name === metrics.attempts.name);
      outcomes.push([...new Set(attempts.map(({ dimensions }) => dimensions.outcome_class))]);
    }

    expect(outcomes).toEqual([['2xx'], ['2xx'], ['dns'], ['dns'], ['2xx'], ['2xx']]);
    expect(alarmStates(alarm, data, 0, 6 * period).map(({ state }) => state)).toEqual([
      'OK',
      'OK',
      'OK',
      'ALARM',
      'ALARM',
      'OK',
    ]);
  });
});

/** A stack whose functions look up the host of every endpoint at a name server of the test. */
async function setScene() {
  const workplace = await createWorkplace();
  parts.defer(() => workplace.remove());
  const stateDir = join(workplace.dir, '.local');
  // The stack keeps and trusts its own certificate in this file.
  const dns = ['receiver.localhost', '*.localhost', 'localhost', hostname];
  const pair = await createSelfSigned({ dns, ip: ['127.0.0.1'], until: 48 });
  await mkdir(join(stateDir, 'tls'), { recursive: true });
  await writeFile(join(stateDir, 'tls', 'certificate.json'), JSON.stringify(pair));
  const receiver = await startOwnReceiver(pair, () => 200);
  parts.defer(() => receiver.close());
  const origin = receiver.origin.replace('localhost', hostname);
  const state = { answers: true };
  const server = await startNameServer((question) => {
    if (!state.answers || !question.endsWith(` ${hostname}`)) return 'nxdomain';
    return question.startsWith('A ') ? [[127, 0, 0, 1]] : [];
  });
  parts.defer(() => server.close());
  const lines: string[] = [];
  const alarms: AlarmProperties[] = [];
  const stack = await startStack({
    port: 0,
    stateDir,
    stackFile: null,
    trustedOrigins: [origin],
    nameServers: [server.address],
    synthesize: async (request) => {
      await synthesizeApp(request);
      alarms.push(await readAlarm(request.outDir));
    },
    onLogLine: (_source, line) => lines.push(line),
  });
  parts.defer(() => stack.close());
  await stack.warmUp();
  const target = { tableName: stack.info.table_name, dynamodbUrl: stack.info.endpoints.dynamodb };
  const seeded = await seedCustomers(target, names);
  const customers = seeded.map((customer) => new StackCustomer(stack.info, customer));
  for (const customer of customers) {
    for (let made = 0; made < endpointsEach; made += 1) await customer.register(`${origin}/${made}`);
  }
  return { customers, lines, nameServer: state, alarm: only(alarms) };
}

const template = z.object({
  Resources: z.record(z.string(), z.object({ Properties: z.unknown().optional() })),
});

/** The alarm over most attempts, in the templates of the stack that runs. */
async function readAlarm(outDir: string): Promise<AlarmProperties> {
  const files = (await readdir(outDir)).filter((name) => name.endsWith('.template.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(outDir, file), 'utf8')));
  const described = z.object({
    AlarmDescription: z.string().endsWith(`#${runbookAnchors.mostAttemptsFail}`),
  });
  const resources = texts.flatMap((text) => Object.values(template.parse(JSON.parse(text)).Resources));
  const found = resources.filter(({ Properties }) => described.safeParse(Properties).success);
  return alarmProperties.parse(only(found).Properties);
}
