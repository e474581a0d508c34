import { expect, it, onTestFinished, vi } from 'vitest';
import { watchProcessors } from '../../tools/local/aws/events/idle-processor.ts';

/** Milliseconds of a tenth of a second on two processors, and whether one is to spare then. */
const steps = [
  { idle: 200, total: 200, own: 0, expected: true },
  { idle: 30, total: 200, own: 170, expected: true },
  { idle: 29, total: 200, own: 20, expected: false },
  { idle: 0, total: 200, own: 0, expected: false },
  // A container has two processors of a large machine.
  { idle: 1_400, total: 1_600, own: 171, expected: false },
  { idle: 1_400, total: 1_600, own: 170, expected: true },
  // A system that does not tell.
  { idle: 0, total: 0, own: 100, expected: true },
  { idle: 0, total: 0, own: 180, expected: false },
];

it('a processor is to spare unless the machine or this process kept all of them busy since the last question', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let times = { idle: 5_000, total: 9_000, own: 700 };
  const hasIdleProcessor = watchProcessors(() => times, 2);
  expect(hasIdleProcessor()).toBe(true);

  for (const { expected, ...step } of steps) {
    const { idle, total, own } = times;
    times = { idle: idle + step.idle, total: total + step.total, own: own + step.own };
    vi.advanceTimersByTime(100);
    expect([step, hasIdleProcessor()]).toEqual([step, expected]);
    // Asked again too soon, it says the same.
    expect(hasIdleProcessor()).toBe(expected);
  }
});
