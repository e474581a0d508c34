import { describe, expect, it } from 'vitest';
import { noTimings } from '#shared/domain/attempt.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { attemptTimeline } from '../../../tools/operator/deliveries/delivery-text.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildLogEntry,
  handshakeBody,
  minute,
  retryAfter,
  startOfTest,
} from '../../support/values/builders.ts';

/** The end of a line of 26 columns: a bar of 20 characters, so that each is half a second. */
const narrow = 27;
const second = 1_000;
const timings = { dnsMs: 1000, connectMs: 500, tlsMs: 1000, firstByteMs: 2500 };

function barOf(given: Parameters<typeof buildLogEntry>[0]): string | undefined {
  const lines = attemptTimeline(buildDelivery({ log: [buildLogEntry(given)] }), narrow);
  return lines.find((line) => line.includes('['))?.trim();
}

describe('attemptTimeline()', () => {
  it('shows when each attempt was planned and when it began, and what came out, without bars when there is no terminal', () => {
    const at = startOfTest + 120;
    const log = [
      buildLogEntry({ at }),
      buildLogEntry({
        at: retryAfter(1, at + 61) + second,
        outcome: 'timed_out',
        responseStatus: null,
        durationMs: 10_000,
        timings,
      }),
      { ...acknowledgedAttempt, at: retryAfter(2, retryAfter(1, at + 61) + 11 * second) + 9 * second },
    ];

    const lines = attemptTimeline(buildDelivery({ status: 'delivered', attempts: 3, log }), null);

    expect(lines).toEqual([
      '  1  planned 2026-11-20T12:00:00.501Z, began 2026-11-20T12:00:00.620Z (+119 ms)',
      '     rejected 500 after 61 ms: first byte 60 ms',
      '     The endpoint answered 500',
      '  2  planned 2026-11-20T12:10:20.788Z, began 2026-11-20T12:10:21.788Z (+1 s)',
      '     timed_out after 10 s: DNS 1 s, connect 500 ms, TLS 1 s, first byte 2.5 s',
      '     The endpoint answered 500',
      '  3  planned 2026-11-20T13:02:59.412Z, began 2026-11-20T13:03:08.412Z (+9 s)',
      '     acknowledged 200 after 184 ms: DNS 12 ms, connect 31 ms, TLS 48 ms, first byte 93 ms',
    ]);
  });

  it('draws the phases on a scale of ten seconds', () => {
    expect(barOf({ durationMs: 5000, timings })).toBe('[DDCTTFFFFF..........]');
  });

  it('draws the phase in which an attempt ended as not finished', () => {
    const unfinished = { dnsMs: 1000, connectMs: 500, tlsMs: null, firstByteMs: null };

    expect(barOf({ durationMs: 10_000, timings: unfinished })).toBe('[DDC~~~~~~~~~~~~~~~~~]');
    expect(barOf({ durationMs: 10_000, timings: noTimings })).toBe(`[${'~'.repeat(20)}]`);
    expect(barOf({ durationMs: 3, timings: noTimings })).toBe(`[${'.'.repeat(20)}]`);
  });

  it.each([40, 80, 200])('fits its bars into a terminal of %i columns', (columns) => {
    const lines = attemptTimeline(buildDelivery({ log: [acknowledgedAttempt] }), columns);

    const bar = lines.find((line) => line.includes('['));

    expect(bar).toHaveLength(columns);
  });

  it('removes control characters of stored texts', () => {
    const entry = buildLogEntry({ error: 'a\u001b[31mb\nc\u202ed' });
    const log = [{ ...entry, outcome: 'od\u0007d' }];

    const text = attemptTimeline(buildDelivery({ log }), 80).join(' ');

    expect(text).toMatch(/od d 500 .* a \[31mb c d/);
    expect(text).not.toMatch(/\p{C}/u);
  });

  const claim = { fencingToken: 't', leaseUntil: 1 };
  const cancelled = { status: 'failed', cancelled: 'endpoint_deleted' } as const;

  it.each<[string, Partial<Delivery>, string]>([
    ['the first attempt', {}, '  1  planned at once; 3 attempts at most'],
    ['the handshake', { body: handshakeBody }, '  1  planned at once; 1 attempt at most'],
    [
      'a retry',
      { log: [buildLogEntry()], attempts: 1, retryAt: startOfTest + 10 * minute },
      '  2  planned 2026-11-20T12:10:00.500Z',
    ],
    ['an attempt in flight', { attempts: 1, claim }, '  1  is under way'],
    ['a cancelled delivery', cancelled, '  -  cancelled: endpoint_deleted'],
  ])('says what is next: %s', (_, given, line) => {
    expect(attemptTimeline(buildDelivery(given), null).at(-1)).toBe(line);
  });
});
