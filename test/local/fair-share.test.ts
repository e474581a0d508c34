import { describe, expect, it } from 'vitest';
import { FairOrder, FairShare } from '../../tools/local/aws/sqs/fair-queue.ts';

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

  it.each([
    { took: 11, at: 100, noisy: true, why: 'more than a tenth of the processing time' },
    { took: 11, at: 11 + minute, noisy: false, why: 'more than a tenth, but a minute ago' },
    { took: 10, at: 100, noisy: false, why: 'exactly a tenth of the processing time' },
  ])('noisy is $noisy for a group that took $why', ({ took, at, noisy }) => {
    const share = holding({ slow: 1, quick: 1 });

    share.finish('slow', 0, took);
    share.finish('quick', 0, 100 - took);

    expect(share.rank('slow', at) > 0).toBe(noisy);
  });

  it('ranks the noisy group with fewer messages in flight first', () => {
    const share = holding({ one: 40, other: 60 });

    expect(share.rank('one', 0)).toBeGreaterThan(0);
    expect(share.rank('one', 0)).toBeLessThan(share.rank('other', 0));
  });

  it('treats each message without a group as a tenant of its own, which is never noisy', () => {
    const share = new FairShare();
    for (let taken = 0; taken < 40; taken += 1) share.take(null);

    expect(share.rank(null, 0)).toBe(0);
  });

  it('no longer counts a deleted message as in flight', () => {
    const share = holding({ one: 30 });

    share.finish('one', 0, 0);

    expect(share.rank('one', 0)).toBe(0);
  });
});

describe('FairOrder', () => {
  class CountedShare extends FairShare {
    ranked = 0;

    override rank(...given: Parameters<FairShare['rank']>): number {
      this.ranked += 1;
      return super.rank(...given);
    }
  }

  it('takes the oldest message of all quiet groups first', () => {
    const order = new FairOrder<string>(holding({ loud: 30 }));
    for (const message of ['loud 1', 'quiet 1', 'other 1', 'quiet 2', 'loud 2']) {
      order.add(message.split(' ')[0] ?? '', message);
    }

    const taken = Array.from({ length: 5 }, () => order.take(0));

    expect(taken).toEqual(['quiet 1', 'other 1', 'quiet 2', 'loud 1', 'loud 2']);
    expect([order.take(0), order.size]).toEqual([undefined, 0]);
  });

  it('serves a noisy group in its place again once it is quiet', () => {
    const share = holding({ loud: 30 });
    const order = new FairOrder<string>(share);
    for (const message of ['loud 1', 'quiet 1', 'quiet 2']) order.add(message.split(' ')[0] ?? '', message);
    expect(order.take(0)).toBe('quiet 1');

    share.giveBack('loud');

    expect([order.take(0), order.take(0)]).toEqual(['loud 1', 'quiet 2']);
  });

  it.each([
    ['3,000 messages of one noisy group', () => 'loud'],
    ['3,000 groups', (n: number) => `group ${n}`],
    ['3,000 messages without a group', () => null],
  ])('looks at three groups at most for each of %s', (_case, groupOf) => {
    const share = new CountedShare();
    for (let n = 0; n < 30; n += 1) share.take('loud');
    const order = new FairOrder<number>(share);
    for (let n = 0; n < 3_000; n += 1) order.add(groupOf(n), n);

    const taken = Array.from({ length: 3_000 }, () => order.take(0));

    expect(taken).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
    expect(share.ranked).toBeLessThanOrEqual(3 * 3_000);
  });
});
