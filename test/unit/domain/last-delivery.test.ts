import { describe, expect, it } from 'vitest';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import {
  attemptPageSize,
  isOnTime,
  isRecent,
  latestAttempt,
  latestTime,
  nextAttemptPage,
} from '#shared/domain/last-delivery.ts';
import { deliveryIdNumber, hour, minute, startOfTest } from '../../support/values/builders.ts';

const second = 1000;
const pending = { id: deliveryIdNumber(2), lastAttemptAt: null };
const attempted = { id: deliveryIdNumber(1), lastAttemptAt: startOfTest + 5 };

describe('attemptPageSize()', () => {
  it.each([
    [1, 8],
    [3, 3],
    [8, 1],
    [32, 1],
  ])('divides a page over %i partitions: %i deliveries of each', (partitions, size) => {
    expect(attemptPageSize(partitions)).toBe(size);
  });
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

describe('latestAttempt() and latestTime()', () => {
  it('are the latest time, and null when there is none', () => {
    expect(latestAttempt([pending, attempted])).toBe(startOfTest + 5);
    expect(latestAttempt([pending])).toBeNull();
    expect(latestTime([3, null, 9, 4])).toBe(9);
    expect(latestTime([])).toBeNull();
  });
});

describe('isOnTime()', () => {
  const id = deliveryId(startOfTest, new Uint8Array(10), 1);

  it('is true of a first attempt within a minute of the creation of its delivery', () => {
    expect(isOnTime({ id, attempts: 1 }, startOfTest + minute)).toBe(true);
    expect(isOnTime({ id, attempts: 1 }, startOfTest + minute + 1)).toBe(false);
    expect(isOnTime({ id, attempts: 2 }, startOfTest)).toBe(false);
  });
});

describe('isRecent()', () => {
  it('is true of a time less than a minute before the attempt', () => {
    expect(isRecent(startOfTest, startOfTest + minute - 1)).toBe(true);
    expect(isRecent(startOfTest, startOfTest + minute)).toBe(false);
    expect(isRecent(null, startOfTest)).toBe(false);
  });
});
