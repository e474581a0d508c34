import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { seedCustomers } from '../../tools/local/stack/seed.ts';
import { startStack } from '../../tools/local/stack/start.ts';
import type { Workplace } from '../support/stack/stack-process.ts';
import { registerEndpoints } from './endpoints.ts';
import { impatientApp, timeScale } from './impatient-app.ts';
import type { Outage, OutageName } from './outages.ts';
import type { Habit, Receivers } from './receivers.ts';
import { type ServiceSwitch, switchInFrontOf } from './service-switch.ts';

/** The habits of the endpoints of each customer. The last customer, a newcomer, has none yet. */
const customerHabits: readonly (readonly Habit[])[] = [
  ['prompt', 'slow'],
  ['fails-once', 'prompt'],
  ['fails-twice', 'never-acknowledges', 'prompt'],
];

/** Everything that runs while outages are played. */
export type Scene = Awaited<ReturnType<typeof setScene>>;

/** Starts the stack with a switch in front of each service of an outage, customers and endpoints. */
export async function setScene(
  outages: readonly Outage[],
  { dir, stackFile }: Workplace,
  receivers: Receivers,
  parts: AsyncDisposableStack,
) {
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
    synthesize: impatientApp,
    onLogLine: (source, line) => log.write(`${new Date().toISOString()} ${source} | ${line}\n`),
    wrapService: async (name, url) => {
      if (!outages.some(({ service }) => service === name)) return url;
      const made = await switchInFrontOf(url);
      parts.defer(() => made.close());
      switches.set(name, made);
      return made.url;
    },
  });
  parts.defer(() => stack.close());
  parts.defer(async () => void (await Promise.all([...switches.values()].map((each) => each.turn(null)))));
  await stack.warmUp();
  const { info } = stack;
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const names = [...customerHabits.keys(), 'newcomer'].map((name) => `Customer ${name}`);
  const customers = await seedCustomers(target, names);
  const newcomer = customers.at(-1);
  if (newcomer === undefined) throw new Error('The stack has no customers');
  const endpoints = await registerEndpoints(info, receivers, customerHabits, customers);
  return { info, receivers, switches, endpoints, newcomer };
}
