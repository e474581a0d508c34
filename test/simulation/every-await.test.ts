import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { minute } from '../support/values/builders.ts';
import { runScript } from './run-script.ts';
import { type Fault, type FaultPoint, faultKinds, faultPoints } from './world/faults.ts';
import type { Action, Answer, Script } from './world/script.ts';

/** A story without faults, and what the receiver does in turn. Together, the stories use every kind of function. */
function story(name: string, receiver: readonly Answer[], actions: readonly Action[], before: Partial<Script> = {}) {
  const script: Script = {
    seed: 1,
    endpoints: [1, 1],
    receivers: [receiver],
    handshakes: ['ok'],
    actions,
    faults: [],
    stormLasts: 70 * minute,
    endsWithPowerCut: false,
    maxReceiveCount: 108,
    ...before,
  };
  return { name, script };
}

const emit = { after: 0, do: 'emit', customer: 0, about: 'run', subject: 0, variant: 0, times: 1 } as const;
const report = { ...emit, about: 'report', subject: 1 } as const;
const register = { after: 0, do: 'register', customer: 0, times: 1 } as const;
const own = { pick: 0, times: 1, stranger: false };
/** A client that repeats a request whose answer it has not got. */
const keyed = { times: 4, keyed: true };

/** One endpoint, three of whose deliveries failed before. */
const threeFailed: Partial<Script> = { endpoints: [1, 0], endedBefore: { events: 3, as: 'failed' } };
const replayAll = { after: 0, do: 'replay_all', ...own, status: 'failed' } as const;

const stories = [
  story('a delivery that succeeds at once', ['ok'], [emit]),
  story('a delivery that fails three times', ['error', 'hang', 'reset'], [emit]),
  story(
    'an endpoint that fails, and recovers with the next event',
    ['error', 'error', 'error', 'ok'],
    [emit, { ...emit, after: 65 * minute, subject: 1 }],
    { endpoints: [1, 0] },
  ),
  story('a delivery that succeeds with its third attempt', ['refused', 'no_such_host', 'ok_slow'], [report]),
  story(
    'an endpoint that is marked as slow while events arrive, and is quick later',
    ['hang', 'ok', 'ok'],
    [emit, { ...emit, after: 950, subject: 1 }, { ...emit, after: 60, subject: 2 }, { ...report, after: 2 * minute }],
  ),
  story('a registration, then an event', ['ok'], [register, { ...emit, after: minute }]),
  story('a registration whose handshake fails', ['ok'], [register], { handshakes: ['hang'] }),
  story(
    'an endpoint that is deleted while a retry waits',
    ['error'],
    [emit, { after: 5 * minute, do: 'delete', ...own }],
  ),
  story('an endpoint that is deleted during an attempt', ['ok'], [emit, { after: 100, do: 'delete', ...own }]),
  story(
    'a replay while the secret is rotated',
    ['ok', 'error', 'ok'],
    [emit, { after: minute, do: 'replay', ...own }, { after: 10, do: 'rotate', ...own }],
  ),
  story('a bulk replay of two steps', ['ok'], [replayAll], threeFailed),
  story('a bulk replay that is cancelled', ['ok'], [replayAll, { after: 3_050, do: 'cancel', ...own }], threeFailed),
  story('a registration with a key', ['ok'], [{ ...register, ...keyed }]),
  story('a rotation with a key', ['ok'], [emit, { after: minute, do: 'rotate', ...own, ...keyed }]),
  story('a replay with a key', ['ok'], [emit, { after: minute, do: 'replay', ...own, ...keyed }]),
  story('a bulk replay with a key', ['ok'], [{ ...replayAll, ...keyed }], threeFailed),
  story('a customer that is deleted during an attempt', ['ok'], [emit, { after: 100, do: 'close', customer: 0 }]),
];

/** The most functions, messages and schedules of a story. */
const fewPoints = 12;

/** The number of points of a kind in a story, counted by harmless faults. */
async function pointsOf(script: Script, point: FaultPoint): Promise<number> {
  if (point !== 'request' && point !== 'post') return fewPoints;
  const kind = point === 'request' ? 'stale' : 'slow_network';
  const faults = Array.from({ length: 400 }, () => ({ gap: 0, kind }) as const);
  return (await runScript({ ...script, faults })).journal.faults.length;
}

async function expectKept(script: Script, faults: readonly Fault[]): Promise<void> {
  const { journal } = await runScript({ ...script, faults });

  expect({ faults, broken: journal.violations }).toEqual({ faults, broken: [] });
}

it.each(stories)('the service keeps every promise in $name', async ({ script }) => {
  await expectKept(script, []);
});

it.each(stories)('the service keeps every promise in $name, with any single fault at any point', async ({ script }) => {
  for (const point of faultPoints) {
    const points = await pointsOf(script, point);
    for (const kind of faultKinds[point]) {
      for (let gap = 0; gap < points; gap += 1) await expectKept(script, [{ gap, kind }]);
    }
    await setImmediate();
  }
});

it.each(stories)('the service keeps every promise in $name, with a crash at any two awaits', async ({ script }) => {
  const points = await pointsOf(script, 'request');
  for (let first = 0; first < points; first += 1) {
    for (let second = 0; second < points; second += 1) {
      await expectKept(script, [
        { gap: first, kind: 'crash_after' },
        { gap: second, kind: 'crash_before' },
      ]);
    }
    await setImmediate();
  }
});
