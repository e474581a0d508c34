import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isHandshake } from '#shared/domain/delivery.ts';
import { seedCustomers } from '../../tools/local/stack/seed.ts';
import { startStack } from '../../tools/local/stack/start.ts';
import { eventually } from '../support/stack/eventually.ts';
import type { Workplace } from '../support/stack/stack-process.ts';
import { callApi, callsThatFail, countFailures, judgeCalls } from './api-calls.ts';
import { type Ending, inWorkplace, judgeEnding, type PlayOptions } from './ending.ts';
import { impatientApp, timeScale } from './impatient-app.ts';
import { isPassing, type Outage, type OutageName } from './outages.ts';
import { type Habit, type Receivers, registerEndpoints, type TestEndpoint } from './receivers.ts';
import { startRunEngine } from './run-engine.ts';
import { describeFault, type ServiceSwitch, switchInFrontOf } from './service-switch.ts';
import { readDeliveries } from './stored-deliveries.ts';

/** The habits of the endpoints of each customer. The last customer, a newcomer, has none yet. */
const customerHabits: readonly (readonly Habit[])[] = [
  ['prompt', 'slow'],
  ['fails-once', 'prompt'],
  ['fails-twice', 'never-acknowledges', 'prompt'],
];

/** Everything that runs while outages are played. */
type Scene = Awaited<ReturnType<typeof setScene>>;

/** Starts the stack with a switch in front of each service of an outage, customers and endpoints. */
async function setScene(
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

export type OutageOptions = PlayOptions & {
  /** Seconds for which each service is away. */
  readonly seconds: number;
  /** Seconds of load before the first outage, and after the last. */
  readonly margin: number;
};

export type OutageResult = Ending & {
  readonly apiFailures: number;
  /** Time from the end of the last outage until everything had settled. */
  readonly recoveredAfterMs: number;
};

const runEveryMs = 400;

/**
 * Takes services away from a stack under load, one after the other, and brings them back. Then it lets everything
 * settle, and checks the promises.
 */
export function playOutages(outages: readonly Outage[], options: OutageOptions): Promise<OutageResult> {
  const { parts, note } = options;
  return inWorkplace(parts, async (workplace, receivers) => {
    const scene = await setScene(outages, workplace, receivers, parts);
    const { info } = scene;
    const customerIds = [...new Set(scene.endpoints.map(({ customer }) => customer.id))];
    const engine = startRunEngine({ stack: () => info, customerIds, everyMs: runEveryMs });
    parts.defer(() => engine.abandon());
    const played: Awaited<ReturnType<typeof play>>[] = [];
    for (const outage of outages) played.push(await play(outage, options, scene, engine));
    await engine.stop();
    const ending = await judgeEnding(info, workplace, note, () => ({
      runs: engine.accepted,
      endpoints: [...scene.endpoints, ...played.flatMap(({ newEndpoints }) => newEndpoints)],
      posts: receivers.posts.filter(({ path }) => !isPassing(path)),
      mayInterrupt: outages.some(({ mayInterrupt }) => mayInterrupt === true),
    }));
    return {
      ...ending,
      apiFailures: played.reduce((sum, { apiFailures }) => sum + apiFailures, 0),
      recoveredAfterMs: ending.settledAt - Math.max(...played.map(({ backAt }) => backAt)),
      broken: [...ending.broken, ...played.flatMap(({ broken }) => broken)],
    };
  });
}

/** @returns `backAt`: the end of the outage; epoch milliseconds */
async function play(outage: Outage, options: OutageOptions, scene: Scene, engine: ReturnType<typeof startRunEngine>) {
  const { info, receivers, newcomer } = scene;
  const { service, faults, holdsNewEndpoints } = outage;
  const { seconds, margin, note, parts } = options;
  const calls = outage.calls(scene);
  const caller = callApi(() => info, calls);
  parts.defer(() => caller.stop());
  await sleep(margin * 1_000);
  const newEndpoints = holdsNewEndpoints
    ? await registerEndpoints(info, receivers, [['prompt', 'fails-once']], [newcomer])
    : [];
  let from = 0;
  for (const fault of faults) {
    note(`${service} ${describeFault(fault)}`);
    await scene.switches.get(service)?.turn(fault);
    if (from === 0 && holdsNewEndpoints) engine.addCustomer(newcomer.id);
    if (from === 0) from = Date.now();
    await sleep((seconds * 1_000) / faults.length);
  }
  const held = holdsNewEndpoints ? await judgeHeld(scene, newEndpoints) : [];
  const to = Date.now();
  await scene.switches.get(service)?.turn(null);
  note(`${service} is back`);
  await sleep(margin * 1_000);
  const failures = await callsThatFail(info, calls);
  await caller.stop();
  const broken = [...held, ...failures, ...judgeCalls(caller.made, { from, to })];
  return { newEndpoints, backAt: to, apiFailures: countFailures(caller.made), broken };
}

/** A secret that cannot be decrypted is a failure of the service: no attempt is counted, and nothing is sent. */
async function judgeHeld({ info, receivers }: Scene, endpoints: readonly TestEndpoint[]): Promise<readonly string[]> {
  const ids = new Set(endpoints.map(({ webhookId }) => webhookId));
  const paths = new Set(endpoints.map(({ path }) => path));
  const held = await eventually(async () => {
    const stored = (await readDeliveries(info)).map(({ delivery }) => delivery);
    const own = stored.filter((delivery) => ids.has(delivery.webhookId) && !isHandshake(delivery));
    if (own.length === 0) throw new Error('No event occurred for the newcomer during the outage');
    return own;
  });
  const why = 'although its secret could not be decrypted';
  const charged = held.filter(({ attempts, status }) => attempts > 0 || status !== 'pending');
  const posted = receivers.posts.filter(({ path }) => paths.has(path));
  return [
    ...charged.map(({ id }) => `Delivery ${id} counted an attempt ${why}`),
    ...posted.map(({ path }) => `${path} got an event ${why}`),
  ];
}
