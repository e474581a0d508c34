import { describe, expect, it } from 'vitest';
import { firstIdAt } from '#shared/domain/ids.ts';
import { attemptPageSize, isOnTime, nextAttemptPage } from '#shared/domain/last-delivery.ts';
import { deliveryIdNumber, hour, minute, startOfTest } from '../../support/values/builders.ts';

const second = 1000;
const pending = { id: deliveryIdNumber(2), lastAttemptAt: null };
const attempted = { id: deliveryIdNumber(1), lastAttemptAt: startOfTest + 5 };

it.each([
  [1, 8],
  [3, 3],
  [8, 1],
  [32, 1],
])('attemptPageSize() divides a page over %i partitions: %i deliveries of each', (partitions, size) => {
  expect(attemptPageSize(partitions)).toBe(size);
});

describe('nextAttemptPage()', () => {
  it('ends when every delivery of the page was attempted', () => {
    expect(nextAttemptPage([attempted, attempted], 1, 2)).toBeNull();
  });

  it('ends when no older delivery exists', () => {
    expect(nextAttemptPage([pending], 1, 2)).toBeNull();
    expect(nextAttemptPage([], 1, 2)).toBeNull();
  });

  it('continues after a delivery without an attempt, at most seven times, ever farther back', () => {
    const page = [pending, attempted];
    const olderBy = (age: number) => firstIdAt('delivery', startOfTest + 1 - age);

    expect([1, 2, 3, 4, 5, 6, 7, 8].map((pages) => nextAttemptPage(page, pages, 2))).toEqual([
      attempted.id,
      olderBy(second),
      olderBy(10 * second),
      olderBy(minute),
      olderBy(10 * minute),
      olderBy(hour),
      olderBy(24 * hour),
      null,
    ]);
  });
});

it.each([
  [1, minute, true],
  [1, minute + 1, false],
  [2, 0, false],
])('attempt %i that begins %i ms after the event is on time: %s', (attempts, age, expected) => {
  const id = firstIdAt('delivery', startOfTest);

  expect(isOnTime({ id, attempts }, startOfTest + age)).toBe(expected);
});
