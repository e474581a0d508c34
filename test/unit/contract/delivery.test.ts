import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type DeliveryRecord,
  deliveryRecord,
  deliveryWithLogRecord,
  presentDelivery,
  presentDeliveryWithLog,
  presentHeaders,
} from '#shared/contract/records/delivery.ts';
import { makeId } from '#shared/domain/ids.ts';
import {
  acknowledged,
  buildDelivery,
  buildLogEntry,
  eventId,
  handshakeBody,
  minute,
  startOfTest,
} from '../../support/values/builders.ts';

const id = makeId('delivery', startOfTest + 5, new Uint8Array(10));
const queued = buildDelivery({ id });
const serverErrorAdvice = 'Look for the error in the log of the receiver or of its proxy';

describe('presentDelivery()', () => {
  it('shows a queued delivery with null for missing values', () => {
    expect(presentDelivery(queued)).toEqual({
      id,
      event_id: eventId,
      event_type: 'run.completed',
      status: 'pending',
      attempts: 0,
      response_status: null,
      error: null,
      run_id: 'run_1',
      tracker_id: null,
      change_report_id: null,
      replay_of: null,
      created_at: '2026-11-20T12:00:00.505Z',
      last_attempt_at: null,
      delivered_at: null,
      failed_at: null,
      next_attempt_at: null,
    } satisfies DeliveryRecord);
  });

  it('shows the result of the last attempt while the next one waits', () => {
    const log = [
      buildLogEntry({ responseStatus: 500, error: 'first' }),
      buildLogEntry({ responseStatus: null, error: 'second', outcome: 'timed_out' }),
    ];

    const record = presentDelivery({ ...queued, attempts: 2, lastAttemptAt: startOfTest, log });

    expect(record).toMatchObject({
      status: 'pending',
      attempts: 2,
      response_status: null,
      error: 'second. Check that the host accepts connections from the internet on this port',
      last_attempt_at: '2026-11-20T12:00:00.500Z',
    });
  });

  it('shows the end of a delivered delivery, without an error', () => {
    const log = [buildLogEntry({ error: 'first' }), buildLogEntry({ responseStatus: 204, error: 'odd' })];

    const record = presentDelivery({ ...queued, status: 'delivered', endedAt: startOfTest + minute, log });

    expect(record).toMatchObject({
      status: 'delivered',
      response_status: 204,
      error: null,
      delivered_at: '2026-11-20T12:01:00.500Z',
      failed_at: null,
    });
  });

  it('shows one period after an error that 0.1.0 stored with its own', () => {
    const log = [buildLogEntry({ responseStatus: 500, error: 'The receiver answered with status 500.' })];
    const delivery = buildDelivery({ id, status: 'failed', attempts: 1, log });
    const error = `The receiver answered with status 500. ${serverErrorAdvice}`;

    expect(presentDelivery(delivery).error).toBe(error);
    expect(presentDeliveryWithLog(delivery).attempt_log).toMatchObject([{ error }]);
  });

  it('shows the end and the error of a failed delivery', () => {
    const log = [buildLogEntry({ error: 'The endpoint answered 500' })];

    const record = presentDelivery({ ...queued, status: 'failed', endedAt: startOfTest, log });

    expect(record).toMatchObject({
      status: 'failed',
      response_status: 500,
      error: `The endpoint answered 500. ${serverErrorAdvice}`,
      delivered_at: null,
      failed_at: '2026-11-20T12:00:00.500Z',
    });
  });

  it('shows when the next attempt is due only while the delivery waits for it', () => {
    const waiting = { ...queued, attempts: 1, retryAt: startOfTest + minute };
    const claim = { fencingToken: 'token', leaseUntil: startOfTest + 2 * minute };

    expect(presentDelivery(waiting).next_attempt_at).toBe('2026-11-20T12:01:00.500Z');
    expect(presentDelivery({ ...waiting, attempts: 2, claim }).next_attempt_at).toBeNull();
    expect(presentDelivery({ ...waiting, status: 'failed' }).next_attempt_at).toBeNull();
  });

  it('says that a handshake answered 401 needs no verification, and any other delivery does', () => {
    const log = [buildLogEntry({ responseStatus: 401, error: 'The receiver responded with status 401' })];
    const ended = { id, status: 'failed', endedAt: startOfTest, log } as const;
    const handshake = buildDelivery({ ...ended, body: handshakeBody });
    const unverified =
      'The receiver responded with status 401. The handshake comes before you know the signing secret: ' +
      'answer webhook.test with 2xx without verifying it';

    expect(presentDelivery(handshake).error).toBe(unverified);
    expect(presentDeliveryWithLog(handshake).attempt_log).toMatchObject([{ error: unverified }]);
    expect(presentDelivery({ ...handshake, replayOf: 'whd_1' }).error).toMatch(
      /^The receiver responded with status 401\. Verify with the current signing secret/,
    );
    expect(presentDelivery(buildDelivery(ended)).error).toMatch(
      /^The receiver responded with status 401\. Verify /,
    );
  });

  it('says that a cancelled delivery was not sent', () => {
    const log = [buildLogEntry({ error: 'The endpoint answered 500' })];

    const record = presentDelivery({
      ...queued,
      status: 'failed',
      cancelled: 'endpoint_deleted',
      endedAt: startOfTest,
      log,
    });

    expect(record.error).toBe('Not sent: the endpoint was deleted');
  });

  it('repeats the ids of the event', () => {
    const body =
      '{"id":"evt_1","type":"tracker.changed","run_id":"run_1","tracker_id":"trk_1","change_report_id":"chg_1"}';

    expect(presentDelivery(buildDelivery({ id, body, replayOf: 'whd_1' }))).toMatchObject({
      event_type: 'tracker.changed',
      run_id: 'run_1',
      tracker_id: 'trk_1',
      change_report_id: 'chg_1',
      replay_of: 'whd_1',
    });
    expect(presentDelivery(buildDelivery({ id, body: handshakeBody }))).toMatchObject({
      event_type: 'webhook.test',
      run_id: null,
    });
  });

  it('matches the published record, and shows neither the body nor the customer', () => {
    expect(deliveryRecord.strict().parse(presentDelivery(queued))).toEqual(presentDelivery(queued));
    expectTypeOf(presentDelivery).returns.toEqualTypeOf<DeliveryRecord>();
  });
});

/** The headers are no part of the stored record: they are those of the deployment. */
const storedRecord = deliveryWithLogRecord.omit({ request_headers: true }).strict();

describe('presentDeliveryWithLog()', () => {
  it('shows the exact text that is sent', () => {
    expect(presentDeliveryWithLog(queued).body).toBe(queued.body);
  });

  it('adds one entry for each attempt, with the milliseconds of every phase', () => {
    const { timings } = acknowledged;
    const log = [
      buildLogEntry({ timings }),
      buildLogEntry({ at: startOfTest + minute, outcome: 'interrupted' }),
    ];

    const record = presentDeliveryWithLog({ ...queued, attempts: 2, log });

    expect(storedRecord.parse(record)).toEqual(record);
    expect(record.attempt_log).toEqual([
      {
        at: '2026-11-20T12:00:00.500Z',
        duration_ms: 61,
        outcome: 'rejected',
        response_status: 500,
        error: `The endpoint answered 500. ${serverErrorAdvice}`,
        timings: { dns_ms: 12, connect_ms: 31, tls_ms: 48, first_byte_ms: 93 },
      },
      expect.objectContaining({ at: '2026-11-20T12:01:00.500Z', outcome: 'interrupted' }),
    ]);
  });
});

describe('presentHeaders()', () => {
  it.each([
    [true, ['webhook-id', 'webhook-timestamp', 'webhook-signature']],
    [false, []],
  ])(
    'names the headers of each request, without the values that an attempt computes (standard: %s)',
    (standardWebhooks, names) => {
      const headers = presentHeaders({ serviceName: 'Acme', standardWebhooks }, queued);

      expect(headers.filter(({ name }) => name.startsWith('webhook-')).map(({ name }) => name)).toEqual(
        names,
      );
      expect(headers).toContainEqual({ name: 'X-Acme-Event-Id', value: queued.event.id });
      expect(headers).toContainEqual({ name: 'X-Acme-Signature', value: null });
    },
  );
});
