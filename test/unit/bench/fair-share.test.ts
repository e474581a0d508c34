import { describe, expect, it } from 'vitest';
import { FairShare } from '../../../bench/neighbour/fair-share.ts';

const minute = 60_000;

function holding(counts: Readonly<Record<string, number>>): FairShare {
  const share = new FairShare();
  for (const [group, count] of Object.entries(counts)) {
    for (let taken = 0; taken < count; taken += 1) share.take(group);
  }
  return share;
}

describe('FairShare', () => {
  it.each([
    { held: { one: 29 }, noisy: false, why: 'fewer than thirty in flight' },
    { held: { one: 30 }, noisy: true, why: 'thirty in flight, and no other group has any' },
    { held: { one: 30, others: 270 }, noisy: false, why: 'exactly a tenth of what is in flight' },
    { held: { one: 30, others: 269 }, noisy: true, why: 'more than a tenth of what is in flight' },
  ])('noisy is $noisy for a group with $why', ({ held, noisy }) => {
    expect(holding(held).rank('one', 0) > 0).toBe(noisy);
  });

  it('ranks a group as noisy that took more than a tenth of the processing time of the last minute', () => {
    const share = holding({ slow: 1, quick: 1 });

    share.finish('slow', 0, 11);
    share.finish('quick', 0, 89);

    expect(share.rank('slow', 100)).toBeGreaterThan(0);
    expect(share.rank('slow', 11 + minute)).toBe(0);
  });

  it('ranks a group as quiet that took exactly a tenth of the processing time', () => {
    const share = holding({ slow: 1, quick: 1 });

    share.finish('slow', 0, 10);
    share.finish('quick', 0, 90);

    expect(share.rank('slow', 100)).toBe(0);
  });

  it('ranks the noisy group with fewer messages in flight first', () => {
    const share = holding({ one: 40, other: 60 });

    expect(share.rank('one', 0)).toBeGreaterThan(0);
    expect(share.rank('one', 0)).toBeLessThan(share.rank('other', 0));
  });

  it('no longer counts a deleted message as in flight', () => {
    const share = holding({ one: 30 });

    share.finish('one', 0, 0);

    expect(share.rank('one', 0)).toBe(0);
  });
});
