import { describe, expect, it } from 'vitest';
import { RecentCache } from '#shared/aws/recent-cache.ts';

const time = { now: 1_000_000, monotonic: 500 };
const timeToLive = 1000;

function cached(...names: readonly string[]) {
  const cache = new RecentCache<string>({
    maxEntries: 2,
    timeToLive,
    now: () => time.now,
    monotonic: () => 500,
  });
  for (const name of names) cache.set(name, name.toUpperCase(), cache.moment());
  const later = (now: number, monotonic: number) => ({
    now: time.now + now,
    monotonic: time.monotonic + monotonic,
  });
  return { cache, later };
}

describe('RecentCache', () => {
  it.each([
    ['at once', 0, 0, 'A'],
    ['a moment before its time to live is over', 999, 999, 'A'],
    ['when its time to live is over', 1000, 1000, undefined],
    ['when only the clock says so, because the process was frozen', 1000, 0, undefined],
    ['when the clock was set back', -1, 1, undefined],
    ['when the clock was set back and time passed', 500, 1000, undefined],
  ])('has an entry or not %s', (_case, now, monotonic, expected) => {
    const { cache, later } = cached('a');

    expect(cache.get('a', later(now, monotonic))).toBe(expected);
  });

  it('drops the oldest entry when it is full, and one that was set again is not the oldest', () => {
    const { cache, later } = cached('a', 'b', 'a', 'c');

    expect(['a', 'b', 'c'].map((name) => cache.get(name, later(0, 0)))).toEqual(['A', undefined, 'C']);
  });

  it('forgets a deleted entry', () => {
    const { cache, later } = cached('a');

    cache.delete('a');

    expect(cache.get('a', later(0, 0))).toBeUndefined();
  });
});
