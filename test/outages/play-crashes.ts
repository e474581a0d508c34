import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { findFreePort } from '../../local/servers/free-port.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { eventually } from '../support/stack/eventually.ts';
import { createWorkplace, type Workplace } from '../support/stack/stack-process.ts';
import { ApiCaller, callsThatFail, judgeCalls, readingCalls } from './api-calls.ts';
import { audit } from './audit.ts';
import { registerEndpoints, type TestEndpoint } from './endpoints.ts';
import { type Kill, killPlan } from './kill-plan.ts';
import { MortalStack } from './mortal-stack.ts';
import { deadLetters, describeDeadLetters } from './queues.ts';
import { type Habit, type Receivers, startReceivers } from './receivers.ts';
import { RunEngine } from './run-engine.ts';
import { settle } from './settle.ts';
import { type Counts, judge } from './verdict.ts';

export type CrashOptions = {
  readonly kills: number;
  /** Determines the moments of the kills. */
  readonly seed: number;
  /** Milliseconds in which everything must settle at the end. */
  readonly patienceMs: number;
  /** Called with each line about the progress. */
  readonly note: (line: string) => void;
  /** Gets every part that is started, and disposes of it at the end, also after a failure. */
  readonly parts: AsyncDisposableStack;
};

export type CrashResult = {
  readonly counts: Counts;
  /** The number of launches. */
  readonly starts: number;
  readonly auditIsClean: boolean;
  /** The broken promises. */
  readonly broken: readonly string[];
  /** Where the stack's data is; it is kept when a promise is broken. */
  readonly workplace: Workplace;
};

/** The stack is down for most of the time, and handles the waiting events whenever it runs. */
const runEveryMs = 1_000;

/** The habits of the endpoints of each customer. */
const customerHabits: readonly (readonly Habit[])[] = [
  ['prompt', 'slow', 'fails-once'],
  ['slow', 'fails-twice', 'never-acknowledges'],
];

/**
 * Kills the whole stack repeatedly under load, and restarts it on the same data each time. Then it lets everything
 * settle, and checks the promises.
 */
export async function playCrashes(options: CrashOptions): Promise<CrashResult> {
  const workplace = await createWorkplace();
  const receivers = await startReceivers(join(workplace.dir, '.local'));
  let isClean = false;
  // Disposed of last: its data explains a broken promise.
  options.parts.defer(() => (isClean ? workplace.remove() : undefined));
  options.parts.defer(() => receivers.close());
  const stack = new MortalStack(workplace, receivers, await findFreePort());
  options.parts.defer(() => stack.end());
  const result = await play(options, stack);
  isClean = result.broken.length === 0;
  return result;
}

async function play(options: CrashOptions, stack: MortalStack): Promise<CrashResult> {
  const endpoints = await makeEndpoints(await stack.start(), stack.receivers);
  const current = () => stack.info;
  const engine = new RunEngine({
    stack: current,
    customerIds: [...new Set(endpoints.map(({ customer }) => customer.id))],
    everyMs: runEveryMs,
  });
  const calls = readingCalls(endpoints, 'either');
  const caller = new ApiCaller(current, calls);
  options.parts.defer(async () => void (await Promise.all([engine.abandon(), caller.stop()])));
  engine.start();
  caller.start();
  await killAgainAndAgain(options, stack);
  const info = await stack.start();
  await engine.stop();
  return await judgeAll({ stack, info, engine, caller, endpoints, options });
}

async function makeEndpoints(info: StackFile, receivers: Receivers): Promise<readonly TestEndpoint[]> {
  const registered = await Promise.all(
    info.customers.map((customer, index) =>
      registerEndpoints(info, receivers, customer, customerHabits[index] ?? []),
    ),
  );
  return registered.flat();
}

async function killAgainAndAgain({ kills, seed, note }: CrashOptions, stack: MortalStack): Promise<void> {
  for (const [index, kill] of killPlan(seed, kills).entries()) {
    await untilMoment(stack, kill);
    await stack.kill();
    const { length: posts } = stack.receivers.posts;
    note(`kill ${index + 1} of ${kills}, ${kill.ms} ms after ${moments[kill.after]}; ${posts} POSTs so far`);
  }
}

const moments = { launch: 'its launch', ready: 'it was ready', post: 'its first POST' } as const;

async function untilMoment(stack: MortalStack, { after, ms }: Kill): Promise<void> {
  const { length: before } = stack.receivers.posts;
  if (after === 'launch') await stack.launch();
  else if (stack.info === null) await stack.start();
  if (after === 'post') {
    const isPosting = async () => expect(stack.receivers.posts.length).toBeGreaterThan(before);
    await eventually(isPosting, { timeout: 300_000, interval: 20 });
  }
  await sleep(ms);
}

async function judgeAll(given: {
  readonly stack: MortalStack;
  readonly info: StackFile;
  readonly engine: RunEngine;
  readonly caller: ApiCaller;
  readonly endpoints: readonly TestEndpoint[];
  readonly options: CrashOptions;
}): Promise<CrashResult> {
  const { stack, info, engine, caller, endpoints } = given;
  const { note, patienceMs } = given.options;
  const failures = await callsThatFail(info, readingCalls(endpoints, 'works'));
  await caller.stop();
  const settled = await settle(info, patienceMs);
  note(`settled; the sweep was needed for ${settled.overdue} deliveries`);
  const { posts } = stack.receivers;
  const { counts, broken } = judge({
    runs: engine.accepted,
    endpoints,
    deliveries: settled.deliveries,
    posts,
    mayInterrupt: true,
  });
  const audited = await audit(stack.workplace);
  const lost = await deadLetters(info);
  return {
    counts,
    starts: stack.starts,
    auditIsClean: audited.length === 0,
    broken: [
      ...settled.broken,
      ...broken,
      ...failures,
      ...judgeCalls(caller.made, null),
      ...audited,
      ...describeDeadLetters(lost),
    ],
    workplace: stack.workplace,
  };
}
