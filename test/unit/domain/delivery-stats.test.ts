import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import { type Delivery, deliveryStatuses } from '#shared/domain/delivery.ts';
import { deliveryStats, type WeightedDelivery } from '#shared/domain/delivery-stats.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { statsWindow, statsWindows } from '#shared/domain/stats-window.ts';
import { acknowledged, buildDelivery, buildLogEntry, hour, minute } from '../../support/values/builders.ts';

const noon = Date.UTC(2026, 10, 20, 12);

const window = statsWindow('24h', noon);
const none = { pending: 0, delivered: 0, failed: 0 };

/** @param age milliseconds before noon */
function deliveryAt(age: number, given: Partial<Delivery> = {}, weight = 1): WeightedDelivery {
  const id = deliveryId(noon - age, digest(String(age)), 1);
  return { delivery: buildDelivery({ id, ...given }), weight };
}

const answered = (durationMs: number) => buildLogEntry({ ...acknowledged, durationMs });
const refused = (responseStatus: number) => buildLogEntry({ responseStatus, durationMs: 10 });
const late = buildLogEntry({ outcome: 'timed_out', responseStatus: null, durationMs: 10_000 });
const delivered = (...log: readonly LoggedAttempt[]) => ({ status: 'delivered', log }) as const;
const failed = (...log: readonly LoggedAttempt[]) => ({ status: 'failed', log }) as const;

describe('deliveryStats()', () => {
  it('says nothing about a time without deliveries', () => {
    const { buckets, ...stats } = deliveryStats([], window);

    expect(stats).toEqual({
      counts: none,
      replays: none,
      deliveredShare: null,
      responseTimes: null,
      failures: [],
    });
    expect(buckets).toHaveLength(24);
  });

  it('counts by status, and the share delivered leaves out what is pending', () => {
    const stats = deliveryStats(
      [
        deliveryAt(1, { log: [refused(500)] }),
        deliveryAt(2),
        deliveryAt(3, delivered(answered(5))),
        deliveryAt(4, delivered(answered(5))),
        deliveryAt(5, failed()),
      ],
      window,
    );

    expect(stats.counts).toEqual({ pending: 2, delivered: 2, failed: 1 });
    expect(stats.deliveredShare).toBe(0.6666);
  });

  it('has a share of 1 only when all were delivered', () => {
    const all = deliveryAt(1, delivered(answered(5)), 29_999);

    expect(deliveryStats([all], window).deliveredShare).toBe(1);
    expect(deliveryStats([all, deliveryAt(2, failed())], window).deliveredShare).toBe(0.9999);
  });

  it.each<[string, readonly LoggedAttempt[], unknown]>([
    ['of one response', [answered(40)], { p50: 40, p95: 40 }],
    ['of two', [answered(30), answered(10)], { p50: 10, p95: 30 }],
    [
      'of twenty-one, by nearest rank',
      Array.from({ length: 21 }, (_, index) => answered(21 - index)),
      { p50: 11, p95: 20 },
    ],
    ['with refusals, without attempts that got no response', [refused(503), late], { p50: 10, p95: 10 }],
    ['without a response', [late], null],
  ])('gives the response times %s', (_, log, expected) => {
    expect(deliveryStats([deliveryAt(0, delivered(...log))], window).responseTimes).toEqual(expected);
  });

  it('counts failed attempts by outcome and status, the most frequent first, also of what was delivered later', () => {
    const foreign = { ...refused(500), outcome: 'from_the_future', responseStatus: null };
    const stats = deliveryStats(
      [
        deliveryAt(1, delivered(refused(503), late, answered(5))),
        deliveryAt(2, failed(refused(503), refused(500), refused(503))),
        deliveryAt(3, { log: [foreign] }),
      ],
      window,
    );

    expect(stats.failures).toEqual([
      { outcome: 'rejected', responseStatus: 503, attempts: 3 },
      { outcome: 'from_the_future', responseStatus: null, attempts: 1 },
      { outcome: 'rejected', responseStatus: 500, attempts: 1 },
      { outcome: 'timed_out', responseStatus: null, attempts: 1 },
    ]);
  });

  it('counts replays apart, so that a resend changes no other figure', () => {
    const lost = [deliveryAt(hour, failed(refused(503))), deliveryAt(2, delivered(answered(5)))];
    const replay = { replayOf: 'whd_1' };
    const before = deliveryStats(lost, window);

    const stats = deliveryStats(
      [...lost, deliveryAt(3, { ...replay, ...failed(refused(500)) }), deliveryAt(4, { ...replay, ...delivered() })],
      window,
    );

    expect(stats).toEqual({
      ...before,
      replays: { ...none, delivered: 1, failed: 1 },
      buckets: expect.any(Array),
    });
    expect(stats.buckets[22]).toEqual({
      from: noon - hour,
      counts: { ...none, delivered: 1, failed: 1 },
      replays: { ...none, delivered: 1, failed: 1 },
    });
  });

  it('counts a delivery as often as it stands for others', () => {
    const stats = deliveryStats(
      [
        deliveryAt(1, failed(refused(503), refused(503)), 10.4),
        deliveryAt(2, delivered(answered(90)), 0.7),
        deliveryAt(3, delivered(answered(20)), 29),
      ],
      window,
    );

    expect(stats.counts).toEqual({ pending: 0, delivered: 30, failed: 10 });
    expect(stats.deliveredShare).toBe(0.75);
    expect(stats.failures).toEqual([{ outcome: 'rejected', responseStatus: 503, attempts: 21 }]);
    expect(stats.responseTimes).toEqual({ p50: 20, p95: 20 });
  });

  it.each(statsWindows)('has each delivery of %s in the bucket of its time', (name) => {
    const asked = statsWindow(name, noon + 7 * minute);
    const age = fc.nat({ max: asked.to - asked.from });
    const made = fc.tuple(age, fc.constantFrom(...deliveryStatuses));
    fc.assert(
      fc.property(fc.array(made, { maxLength: 47 }), (given) => {
        const { counts, buckets } = deliveryStats(
          given.map(([ms, status]) => deliveryAt(ms - 7 * minute, { status })),
          asked,
        );

        for (const [index, bucket] of buckets.entries()) {
          const end = bucket.from + asked.bucketLength;
          expect(bucket.from).toBe(asked.from + index * asked.bucketLength);
          for (const status of deliveryStatuses) {
            const inside = given.filter(
              ([ms, its]) => its === status && asked.to - ms >= bucket.from && asked.to - ms < end,
            );
            expect(bucket.counts[status]).toBe(inside.length);
          }
        }
        expect(counts.pending + counts.delivered + counts.failed).toBe(given.length);
      }),
    );
  });

  it('has a delivery whose maker has a clock that is ahead in the last bucket', () => {
    expect(deliveryStats([deliveryAt(-2 * hour)], window).buckets.at(-1)?.counts.pending).toBe(1);
  });
});

describe('statsWindow()', () => {
  it.each([
    ['1h', '2026-11-20T11:47:30.000Z', 150],
    ['24h', '2026-11-19T13:00:00.000Z', 3_600],
    ['7d', '2026-11-13T18:00:00.000Z', 25_200],
  ] as const)('has 24 buckets of %s that begin at whole multiples of their length', (name, from, seconds) => {
    const { from: begin, to, bucketLength } = statsWindow(name, noon + 47 * minute + 1);

    expect([new Date(begin).toISOString(), bucketLength / 1_000]).toEqual([from, seconds]);
    expect(begin % bucketLength).toBe(0);
    expect(to - begin).toBeLessThanOrEqual(24 * bucketLength);
    expect(to - begin).toBeGreaterThan(23 * bucketLength);
  });
});
