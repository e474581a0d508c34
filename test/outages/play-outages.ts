import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/stack/eventually.ts';
import { createWorkplace, type Workplace } from '../support/stack/stack-process.ts';
import { ApiCaller, callsThatFail, countFailures, judgeCalls } from './api-calls.ts';
import { audit } from './audit.ts';
import { registerEndpoints, type TestEndpoint } from './endpoints.ts';
import { isPassing, type Outage } from './outages.ts';
import { deadLetters, describeDeadLetters } from './queues.ts';
import type { Habit } from './receivers.ts';
import { type Scene, setScene } from './scene.ts';
import { describeFault } from './service-switch.ts';
import { settle } from './settle.ts';
import { readDeliveries } from './stored-deliveries.ts';
import { type Counts, judge } from './verdict.ts';

export type OutageOptions = {
  /** Seconds for which each service is away. */
  readonly seconds: number;
  /** Seconds of load before the first outage, and after the last. */
  readonly margin: number;
  /** Milliseconds in which everything must settle at the end. */
  readonly patienceMs: number;
  /** Called with each line about the progress. */
  readonly note: (line: string) => void;
  /** Gets every part that is started, and disposes of it at the end, also after a failure. */
  readonly parts: AsyncDisposableStack;
};

export type OutageResult = {
  readonly counts: Counts;
  readonly apiFailures: number;
  /** Time from the end of the last outage until everything had settled. */
  readonly recoveredAfterMs: number;
  /** Whether the audit found no problem. */
  readonly auditIsClean: boolean;
  /** The broken promises. */
  readonly broken: readonly string[];
  /** Where the stack's data and log are; they are kept when a promise is broken. */
  readonly workplace: Workplace;
};

const newcomerHabits: readonly Habit[] = ['prompt', 'fails-once'];

/**
 * Takes services away from a stack under load, one after the other, and brings them back. Then it lets everything
 * settle, and checks the promises.
 */
export async function playOutages(outages: readonly Outage[], options: OutageOptions): Promise<OutageResult> {
  let isClean = false;
  const workplace = await createWorkplace();
  // Disposed of last: its data explains a broken promise.
  options.parts.defer(() => (isClean ? workplace.remove() : undefined));
  const scene = await setScene(outages, workplace, options.parts);
  scene.engine.start();
  const played: Played[] = [];
  for (const outage of outages) played.push(await play(outage, options, scene));
  await scene.engine.stop();
  const result = await judgeAll(outages, options, scene, played);
  isClean = result.broken.length === 0;
  return result;
}

type Played = {
  readonly newEndpoints: readonly TestEndpoint[];
  /** The end of the outage; epoch milliseconds. */
  readonly backAt: number;
  readonly apiFailures: number;
  readonly broken: readonly string[];
};

async function play(outage: Outage, options: OutageOptions, scene: Scene): Promise<Played> {
  const calls = outage.calls(scene);
  const caller = new ApiCaller(() => scene.info, calls);
  options.parts.defer(() => caller.stop());
  caller.start();
  await sleep(options.margin * 1_000);
  const newEndpoints = outage.holdsNewEndpoints
    ? await registerEndpoints(scene.info, scene.receivers, scene.newcomer, newcomerHabits)
    : [];

  const from = await takeAway(outage, options, scene);
  const held = newEndpoints.length === 0 ? [] : await judgeHeld(scene, newEndpoints);
  const to = Date.now();
  await scene.switches.get(outage.service)?.bringBack();
  options.note(`${outage.service} is back`);

  await sleep(options.margin * 1_000);
  const failures = await callsThatFail(scene.info, calls);
  await caller.stop();
  const broken = [...held, ...failures, ...judgeCalls(caller.made, { from, to })];
  return { newEndpoints, backAt: to, apiFailures: countFailures(caller.made), broken };
}

/** @returns when the outage began; if it affects new endpoints, Runs settle for the newcomer from then on */
async function takeAway(
  { service, faults, holdsNewEndpoints }: Outage,
  { seconds, note }: OutageOptions,
  { switches, engine, newcomer }: Scene,
): Promise<number> {
  let from = 0;
  for (const [index, fault] of faults.entries()) {
    note(`${service} ${describeFault(fault)}`);
    await switches.get(service)?.takeAway(fault);
    if (index === 0) {
      from = Date.now();
      if (holdsNewEndpoints) engine.addCustomer(newcomer.id);
    }
    await sleep((seconds * 1_000) / faults.length);
  }
  return from;
}

async function judgeAll(
  outages: readonly Outage[],
  { note, patienceMs }: OutageOptions,
  { info, engine, receivers, workplace, endpoints }: Scene,
  played: readonly Played[],
): Promise<OutageResult> {
  const settled = await settle(info, patienceMs);
  const recoveredAfterMs = Date.now() - Math.max(...played.map(({ backAt }) => backAt));
  note(`settled; the sweep was needed for ${settled.overdue} deliveries`);
  const { counts, broken } = judge({
    runs: engine.accepted,
    endpoints: [...endpoints, ...played.flatMap(({ newEndpoints }) => newEndpoints)],
    deliveries: settled.deliveries,
    posts: receivers.posts.filter(({ path }) => !isPassing(path)),
    mayInterrupt: outages.some(({ mayInterrupt }) => mayInterrupt),
  });
  const audited = await audit(workplace);
  const lost = describeDeadLetters(await deadLetters(info));
  return {
    counts,
    apiFailures: played.reduce((sum, { apiFailures }) => sum + apiFailures, 0),
    recoveredAfterMs,
    auditIsClean: audited.length === 0,
    broken: [...settled.broken, ...broken, ...played.flatMap((each) => each.broken), ...audited, ...lost],
    workplace,
  };
}

/** A secret that cannot be decrypted is a failure of the service: no attempt is counted, and nothing is sent. */
async function judgeHeld(
  { info, receivers }: Scene,
  newEndpoints: readonly TestEndpoint[],
): Promise<readonly string[]> {
  const ids = new Set(newEndpoints.map(({ webhookId }) => webhookId));
  const paths = new Set(newEndpoints.map(({ path }) => path));
  const held = await eventually(async () => {
    const stored = await readDeliveries(info);
    const own = stored.filter(
      ({ delivery, eventType }) => ids.has(delivery.webhookId) && eventType !== 'webhook.test',
    );
    if (own.length === 0) throw new Error('No event occurred for the newcomer during the outage');
    return own;
  });
  const charged = held.filter(({ delivery }) => delivery.attempts > 0 || delivery.status !== 'pending');
  return [
    ...charged.map(
      ({ delivery }) =>
        `Delivery ${delivery.id} counted an attempt although its secret could not be decrypted`,
    ),
    ...receivers.posts
      .filter(({ path }) => paths.has(path))
      .map(({ path }) => `${path} got an event although its secret could not be decrypted`),
  ];
}
