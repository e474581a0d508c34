import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type DeliveryRecord,
  deliveryRecord,
  deliveryWithLogRecord,
  presentDelivery,
  presentDeliveryWithLog,
} from '#shared/contract/records/delivery.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { idTime, makeId } from '#shared/domain/ids.ts';
import { claimLease } from '#shared/domain/retry-plan.ts';
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
const retryAt = startOfTest + minute;
const rejectedWith = (responseStatus: number) =>
  buildLogEntry({ responseStatus, error: `The receiver responded with status ${responseStatus}` });

describe('presentDelivery()', () => {
  it('shows a queued delivery with null for missing values', () => {
    const record = presentDelivery(queued);

    expect(z.strictObject(deliveryRecord.shape).parse(record)).toEqual(record);
    expect(record).toEqual({
      id,
      event_id: eventId,
      event_type: 'run.completed',
      example_type: null,
      status: 'pending',
      attempts: 0,
      outcome: null,
      response_status: null,
      error: null,
      run_id: 'run_1',
      tracker_id: null,
      change_report_id: null,
      replay_of: null,
      source_webhook_id: null,
      created_at: '2026-11-20T12:00:00.505Z',
      last_attempt_at: null,
      delivered_at: null,
      failed_at: null,
      next_attempt_at: null,
    } satisfies DeliveryRecord);
  });

  it.each<[string, Partial<Delivery>, Partial<DeliveryRecord>]>([
    [
      'the result of the last attempt, and when the next one is due',
      {
        attempts: 2,
        lastAttemptAt: startOfTest,
        retryAt,
        log: [rejectedWith(500), buildLogEntry({ responseStatus: null, error: 'second', outcome: 'timed_out' })],
      },
      {
        status: 'pending',
        attempts: 2,
        outcome: 'timed_out',
        response_status: null,
        error: 'second. Check that the host accepts connections from the internet on this port',
        last_attempt_at: '2026-11-20T12:00:00.500Z',
        next_attempt_at: '2026-11-20T12:01:00.500Z',
      },
    ],
    [
      'an attempt that is in flight as the last one, and none that follows',
      { attempts: 2, retryAt, claim: { fencingToken: 'token', leaseUntil: startOfTest + claimLease } },
      { last_attempt_at: '2026-11-20T12:00:00.500Z', next_attempt_at: null },
    ],
    [
      'the end of a delivered delivery, without an error',
      {
        status: 'delivered',
        endedAt: retryAt,
        log: [rejectedWith(500), buildLogEntry({ responseStatus: 204 })],
      },
      { response_status: 204, error: null, delivered_at: '2026-11-20T12:01:00.500Z', failed_at: null },
    ],
    [
      'the end and the error of a failed delivery',
      { status: 'failed', endedAt: startOfTest, retryAt, log: [rejectedWith(500)] },
      {
        response_status: 500,
        error: `The receiver responded with status 500. ${serverErrorAdvice}`,
        delivered_at: null,
        failed_at: '2026-11-20T12:00:00.500Z',
        next_attempt_at: null,
      },
    ],
    [
      'one period after an error that 0.1.0 stored with its own',
      { status: 'failed', log: [buildLogEntry({ responseStatus: 500, error: 'Status 500.' })] },
      { error: `Status 500. ${serverErrorAdvice}` },
    ],
    [
      'that a cancelled delivery was not sent',
      { status: 'failed', cancelled: 'endpoint_deleted', endedAt: startOfTest, log: [rejectedWith(500)] },
      { error: 'Not sent: the endpoint was deleted' },
    ],
  ])('shows %s', (_, given, shown) => {
    expect(presentDelivery(buildDelivery({ id, ...given }))).toMatchObject(shown);
  });

  it.each([
    ['needs no verification', { body: handshakeBody }, /\. The handshake comes before you know .* verifying it$/],
    ['does when it is replayed', { body: handshakeBody, replayOf: 'whd_1' }, /\. Verify with the current/],
    ['does when it is about a Run', {}, /\. Verify with the current/],
  ])('says about an event that was answered 401 that the handshake %s', (_, given, error) => {
    const failed = buildDelivery({ id, status: 'failed', log: [rejectedWith(401)], ...given });

    expect(presentDelivery(failed).error).toMatch(error);
    expect(presentDeliveryWithLog(failed).attempt_log[0]?.error).toMatch(error);
  });
});

it('presentDeliveryWithLog() shows the exact text that is sent, and one entry for each attempt, with the milliseconds of every phase', () => {
  const log = [
    buildLogEntry({ timings: acknowledged.timings }),
    buildLogEntry({ at: startOfTest + minute, outcome: 'interrupted' }),
  ];

  const record = presentDeliveryWithLog({ ...queued, attempts: 2, log });

  // The headers are no part of the stored record: they are those of the deployment.
  const { request_headers, ...stored } = deliveryWithLogRecord.shape;
  expect(z.strictObject(stored).parse(record)).toEqual(record);
  expect(record.body).toBe(queued.body);
  expect(record.attempt_log).toEqual([
    {
      planned_at: timestamp(idTime(queued.id)),
      at: '2026-11-20T12:00:00.500Z',
      duration_ms: 61,
      outcome: 'rejected',
      response_status: 500,
      error: `The endpoint answered 500. ${serverErrorAdvice}`,
      repeated: false,
      timings: { dns_ms: 12, connect_ms: 31, tls_ms: 48, first_byte_ms: 93 },
    },
    expect.objectContaining({ at: '2026-11-20T12:01:00.500Z', outcome: 'interrupted' }),
  ]);
});
