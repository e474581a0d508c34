import { expect, it } from 'vitest';
import type { SlowPace } from '#shared/domain/post-window.ts';
import { type Admission, EndpointGate, EndpointGates } from '#shared/operations/delivery/endpoint-gate.ts';
import { createClock, createTimers } from '../../../support/operations/deps.ts';
import { buildEndpoint, startOfTest } from '../../../support/values/builders.ts';

const windowOf = (size: number) => ({ size, fastestMs: 30, lastMs: 30 });

/** A gate with a window, at which several ask. */
function askAt(size: number, count: number, milliseconds = 10_000) {
  const timers = createTimers();
  const gate = new EndpointGate(timers.after, windowOf(size));
  const answers: Admission[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    void gate.enter(milliseconds).then((admission) => answers.push(admission));
  }
  const settled = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return answers;
  };
  return { gate, timers, settled };
}

const admitted = (count: number) => Array<Admission>(count).fill('admitted');

it.each([
  [1, 1],
  [2.9, 2],
  [0.5, 1],
  [Number.POSITIVE_INFINITY, 5],
])('a window of %d admits %i of five at once', async (size, count) => {
  const { settled } = askAt(size, 5);

  expect(await settled()).toEqual(admitted(count));
});

it('the next one is admitted when one leaves, and more when the window has grown', async () => {
  const { gate, settled } = askAt(1, 5);
  await settled();

  gate.leave();
  expect(await settled()).toEqual(admitted(2));
  gate.window = windowOf(2);
  gate.leave();
  expect(await settled()).toEqual(admitted(4));
});

it('those who wait are told that there is no room when their time is over', async () => {
  const { timers, settled } = askAt(1, 3);
  await settled();

  timers.fire();

  expect(await settled()).toEqual(['admitted', 'full', 'full']);
});

it.each([
  [1, 0, ['admitted', 'full']],
  [0, 10_000, ['full', 'full']],
])('with a window of %d and %i ms, two are told %j at once', async (size, milliseconds, expected) => {
  const { settled } = askAt(size, 2, milliseconds);

  expect((await settled()).toSorted()).toEqual(expected);
});

it('an endpoint gets a pause when its window is below one', async () => {
  const { gate, settled } = askAt(1, 3);
  await settled();
  gate.window = windowOf(0.5);

  gate.leave();

  expect(await settled()).toEqual(['admitted', 'full', 'full']);
});

it('a gate that closes turns away those who wait and those who come', async () => {
  const { gate, settled } = askAt(1, 3);
  await settled();

  gate.close();

  expect(await settled()).toEqual(['admitted', 'closed', 'closed']);
  expect(await gate.enter(1_000)).toBe('closed');
});

it('no timer outlives the wait that it would end', async () => {
  const { gate, timers, settled } = askAt(1, 3);
  await settled();
  const running = [timers.running()];

  gate.leave();
  await settled();
  running.push(timers.running());
  gate.close();
  await settled();
  running.push(timers.running());

  expect(running).toEqual([2, 1, 0]);
});

it.each([
  [windowOf(1), 30],
  [{ size: 3, fastestMs: 1_000, lastMs: 6_000 }, 2_000],
  [{ size: 1, fastestMs: Number.POSITIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY }, 1_000],
])('with the window %j, the endpoint answers another post every %i ms', (window, interval) => {
  expect(new EndpointGate(createTimers().after, window).intervalMs).toBe(interval);
});

/** Two batches in turn, the second after `passed` milliseconds. */
async function windowLater(lane: 'ordinary' | 'slow', passed: number, slowPace: SlowPace | null, isBusy = false) {
  const clock = createClock(startOfTest);
  const gates = new EndpointGates({ now: clock.now, after: createTimers().after, lane });
  const gate = gates.of(buildEndpoint({ slowPace }));
  gate.window = windowOf(7);
  await gate.enter(0);
  if (!isBusy) gate.leave();
  clock.pass(passed);
  return gates.of(buildEndpoint({ slowPace })).window.size;
}

it('a process remembers for a minute how a quick endpoint answers', async () => {
  expect(await windowLater('ordinary', 60_000, null)).toBe(7);
  expect(await windowLater('ordinary', 60_001, null)).toBe(1);
  expect(await windowLater('ordinary', 60_001, null, true)).toBe(7);
});

it('a batch of the slow lane begins with what is noted, unless another one posts at the same time', async () => {
  const slowPace = { notedAt: startOfTest, isAnswering: true, window: windowOf(4) };

  expect(await windowLater('slow', 0, slowPace)).toBe(4);
  expect(await windowLater('slow', 0, slowPace, true)).toBe(7);
});

it('a process remembers a thousand endpoints', async () => {
  const gates = new EndpointGates({ now: () => startOfTest, after: createTimers().after, lane: 'ordinary' });
  const sizeOf = (id: string) => gates.of(buildEndpoint({ id })).window.size;
  gates.of(buildEndpoint({ id: 'whe_first' })).window = windowOf(7);

  for (let number = 1; number < 1_000; number += 1) sizeOf(`whe_${number}`);
  const kept = sizeOf('whe_first');
  for (let number = 1_001; number < 2_001; number += 1) sizeOf(`whe_${number}`);

  expect([kept, sizeOf('whe_first')]).toEqual([7, 1]);
});
