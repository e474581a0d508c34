import { expect, it, onTestFinished, vi } from 'vitest';
import { watchProcessors } from '../../tools/local/aws/events/idle-processor.ts';

/** Milliseconds of two processors in each step of a tenth of a second, and whether one is to spare then. */
const steps = [
  { idle: 200, total: 200, expected: true },
  { idle: 30, total: 200, expected: true },
  { idle: 29, total: 200, expected: false },
  { idle: 0, total: 200, expected: false },
  { idle: 0, total: 0, expected: true },
];

it('a processor is to spare unless all were busy for most of the time since the last question', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let times = { idle: 5_000, total: 9_000 };
  const hasIdleProcessor = watchProcessors(() => times);
  expect(hasIdleProcessor()).toBe(true);

  for (const { idle, total, expected } of steps) {
    times = { idle: times.idle + idle, total: times.total + total };
    vi.advanceTimersByTime(100);
    expect(hasIdleProcessor()).toBe(expected);
    // Too soon to say something new.
    vi.advanceTimersByTime(10);
    expect(hasIdleProcessor()).toBe(expected);
  }
});
