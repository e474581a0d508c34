import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../console/api/records.ts';
import { durationText, outcomeText, timelineOf, verdictOf } from '../../../console/views/deliveries/timeline.ts';
import { at, attemptOf, deliveryOf } from './records.ts';

const kindsOf = (changes: Parameters<typeof deliveryOf>[0]) =>
  timelineOf(deliveryOf(changes))
    .map(({ kind, number }) => `${number} ${kind}`)
    .join(', ');

/** Each phase with its beginning and its duration. */
const segmentsOf = (attempt: Attempt) =>
  timelineOf(deliveryOf({ status: 'failed', attempt_log: [attempt] }))
    .flatMap((row) => (row.kind === 'made' ? row.segments : []))
    .map(({ phase, from, duration }) => `${phase} ${from} + ${duration}`)
    .join(', ');

describe('timelineOf()', () => {
  const made = (count: number) => Array.from({ length: count }, () => attemptOf());
  const handshake = { status: 'delivered', event_type: 'webhook.test' } as const;

  it.each([
    ['is queued', { status: 'pending' }, 0, '1 running'],
    ['waits for its second attempt', { status: 'pending', next_attempt_at: at(600_040) }, 1, '1 made, 2 next'],
    ['has its third attempt', {}, 2, '1 made, 2 made, 3 running'],
    ['is delivered at once', { status: 'delivered' }, 1, '1 made, 2 not-needed'],
    ['is delivered at last', { status: 'delivered' }, 3, '1 made, 2 made, 3 made'],
    ['ended before its first attempt', { status: 'failed' }, 0, ''],
    ['ended after one attempt', { status: 'failed' }, 1, '1 made'],
    ['is a handshake', handshake, 1, '1 made'],
    ['is an example', { ...handshake, example_type: 'run.completed' }, 1, '1 made, 2 not-needed'],
    ['is a replay of a handshake', { ...handshake, replay_of: 'whd_0' }, 1, '1 made, 2 not-needed'],
  ] as const)('a delivery that %s has its rows', (_what, changes, attempts, rows) => {
    expect(kindsOf({ ...changes, attempt_log: made(attempts) })).toBe(rows);
  });

  const untimed = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null };

  it.each([
    ['DNS', 'dns_failed', {}, 'dns 0 + 10000'],
    ['the connection', 'connection_failed', { dns_ms: 2 }, 'dns 0 + 2, connect 2 + 9998'],
    ['TLS', 'timed_out', { dns_ms: 2, connect_ms: 3 }, 'dns 0 + 2, connect 2 + 3, tls 5 + 9995'],
    [
      'the response',
      'timed_out',
      { dns_ms: 2, connect_ms: 3, tls_ms: 5 },
      'dns 0 + 2, connect 2 + 3, tls 5 + 5, wait 10 + 9990',
    ],
    [
      'the response, with its connection',
      'connection_failed',
      { dns_ms: 2, connect_ms: 3, tls_ms: 5 },
      'dns 0 + 2, connect 2 + 3, tls 5 + 5, wait 10 + 9990',
    ],
    ['a phase that the record does not tell', 'timed_out', { dns_ms: 2 }, 'dns 0 + 2, rest 2 + 9998'],
  ] as const)('an attempt that ended in %s shows its time there', (_where, outcome, timed, segments) => {
    const timings = { ...untimed, ...timed };

    expect(segmentsOf(attemptOf({ duration_ms: 10_000, outcome, timings }))).toBe(segments);
  });

  it('an answered attempt ends with its wait, without a part for what rounding leaves', () => {
    const timings = { ...untimed, dns_ms: 1, first_byte_ms: 30 };

    expect(segmentsOf(attemptOf({ duration_ms: 32, timings }))).toBe('dns 0 + 1, wait 1 + 31');
  });
});

describe('the error of an attempt', () => {
  it('is said once: not when the summary or the attempt before says the same', () => {
    const log = ['a', 'a', 'b', 'a', 'c'].map((error) => attemptOf({ error }));
    const rows = timelineOf(deliveryOf({ status: 'failed', error: 'c', attempt_log: log }));

    expect(rows.map((row) => (row.kind === 'made' ? row.error : row.kind))).toEqual(['a', null, 'b', 'a', null]);
  });
});

describe('outcomeText()', () => {
  it('names the outcome with its status, and shows an outcome of a later version as it is', () => {
    const unknown: Attempt = JSON.parse(JSON.stringify({ ...attemptOf(), outcome: 'postponed' }));

    expect(outcomeText(attemptOf())).toBe('Rejected with 500');
    expect(outcomeText(attemptOf({ outcome: 'timed_out', response_status: null }))).toBe('Timed out');
    expect(outcomeText({ ...unknown, response_status: null })).toBe('postponed');
  });
});

describe('durationText()', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [10_000, '10 s'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });
});

describe('verdictOf()', () => {
  const three = [attemptOf(), attemptOf(), attemptOf()];
  it.each([
    [{ status: 'pending' }, [], 'The first attempt is about to be made'],
    [{ status: 'pending' }, three.slice(0, 1), '1 attempt failed, 2 left'],
    [{ status: 'failed' }, three, 'All 3 attempts failed. No further attempts'],
    [{ status: 'failed' }, three.slice(0, 1), '1 attempt failed. No further attempts'],
    [{ status: 'failed' }, [], 'It ended before the first attempt, so nothing was sent'],
    [
      { status: 'delivered' },
      [attemptOf(), attemptOf({ response_status: 204 })],
      'Your receiver acknowledged attempt 2 with 204 after 40 ms',
    ],
  ] as const)('%j with attempts %j: %s', (changes, log, text) => {
    expect(verdictOf(deliveryOf({ ...changes, attempt_log: [...log] }))).toBe(text);
  });
});
