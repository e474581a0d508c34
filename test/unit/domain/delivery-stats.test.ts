import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import { type Delivery, deliveryStatuses } from '#shared/domain/delivery.ts';
import { deliveryStats, maxBuckets } from '#shared/domain/delivery-stats.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { acknowledged, buildDelivery, buildLogEntry, hour, minute } from '../../support/values/builders.ts';

const noon = Date.UTC(2026, 10, 20, 12);

/** @param age milliseconds before noon */
function deliveryAt(age: number, given: Partial<Delivery> = {}): Delivery {
  return buildDelivery({ id: deliveryId(noon - age, digest(String(age)), 1), ...given });
}

const answered = (durationMs: number) => buildLogEntry({ ...acknowledged, durationMs });
const refused = (responseStatus: number) => buildLogEntry({ responseStatus, durationMs: 10 });
const late = buildLogEntry({ outcome: 'timed_out', responseStatus: null, durationMs: 10_000 });
const delivered = (...log: readonly LoggedAttempt[]) => ({ status: 'delivered', log }) as const;
const failed = (...log: readonly LoggedAttempt[]) => ({ status: 'failed', log }) as const;

describe('deliveryStats()', () => {
  it('says nothing about an endpoint without deliveries', () => {
    expect(deliveryStats([], noon)).toEqual({
      from: null,
      to: noon,
      deliveries: 0,
      counts: { pending: 0, delivered: 0, failed: 0 },
      deliveredShare: null,
      responseTimes: null,
      failures: [],
      bucketLength: null,
      buckets: [],
    });
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
      noon,
    );

    expect(stats.counts).toEqual({ pending: 2, delivered: 2, failed: 1 });
    expect(stats.deliveredShare).toBe(0.6667);
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
    expect(deliveryStats([deliveryAt(0, delivered(...log))], noon).responseTimes).toEqual(expected);
  });

  it('counts failed attempts by outcome and status, the most frequent first, also of what was delivered later', () => {
    const foreign = { ...refused(500), outcome: 'from_the_future', responseStatus: null };
    const stats = deliveryStats(
      [
        deliveryAt(1, delivered(refused(503), late, answered(5))),
        deliveryAt(2, failed(refused(503), refused(500), refused(503))),
        deliveryAt(3, { log: [foreign] }),
      ],
      noon,
    );

    expect(stats.failures).toEqual([
      { outcome: 'rejected', responseStatus: 503, attempts: 3 },
      { outcome: 'from_the_future', responseStatus: null, attempts: 1 },
      { outcome: 'rejected', responseStatus: 500, attempts: 1 },
      { outcome: 'timed_out', responseStatus: null, attempts: 1 },
    ]);
  });

  it('shows the outcome over time in buckets that begin at round times, empty ones included', () => {
    const stats = deliveryStats(
      [deliveryAt(minute), deliveryAt(hour + 1, failed()), deliveryAt(4 * hour, delivered())],
      noon + 5,
    );

    expect(stats).toMatchObject({ from: noon - 4 * hour, to: noon + 5, bucketLength: 15 * minute });
    expect(stats.buckets).toHaveLength(17);
    expect(stats.buckets.filter(({ counts }) => Object.values(counts).some((count) => count > 0))).toEqual([
      { from: noon - 4 * hour, counts: { pending: 0, delivered: 1, failed: 0 } },
      { from: noon - 75 * minute, counts: { pending: 0, delivered: 0, failed: 1 } },
      { from: noon - 15 * minute, counts: { pending: 1, delivered: 0, failed: 0 } },
    ]);
  });

  it('ends no earlier than its newest delivery, whose maker may have a clock that is ahead', () => {
    expect(deliveryStats([deliveryAt(-700)], noon).to).toBe(noon + 700);
  });

  it('has each delivery in one bucket of an unbroken row over the whole window, whatever its length', () => {
    const age = fc.oneof(...[1, 60, 86_400, 320_000_000].map((most) => fc.nat({ max: most * 1_000 })));
    const made = fc.tuple(age, fc.constantFrom(...deliveryStatuses));
    fc.assert(
      fc.property(fc.array(made, { minLength: 1, maxLength: 47 }), (given) => {
        const { from, to, counts, bucketLength, buckets } = deliveryStats(
          given.map(([ms, status]) => deliveryAt(ms, { status })),
          noon,
        );
        const length = bucketLength ?? 0;
        const [first] = buckets;
        const begin = first?.from ?? 0;

        expect(buckets.map((bucket) => bucket.from)).toEqual(
          buckets.map((_, index) => begin + index * length),
        );
        expect(buckets.length).toBeLessThanOrEqual(maxBuckets);
        expect(begin % length).toBe(0);
        expect(begin).toBeLessThanOrEqual(from ?? 0);
        expect(begin + buckets.length * length).toBeGreaterThan(to);
        for (const status of deliveryStatuses) {
          expect(buckets.reduce((sum, bucket) => sum + bucket.counts[status], 0)).toBe(counts[status]);
        }
      }),
    );
  });
});
