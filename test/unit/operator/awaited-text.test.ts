import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Awaited } from '#shared/operations/operator/await-deliveries.ts';
import { awaitedJson, awaitedLines, throwUnlessDelivered } from '../../../tools/operator/emit/awaited-text.ts';
import { buildDelivery, buildLogEntry, eventId, minute, startOfTest } from '../../support/values/builders.ts';

const acceptedAt = startOfTest;
const fanOut = { eventId, acceptedAt, deliveries: [] };
const retried = buildDelivery({
  attempts: 1,
  retryAt: startOfTest + 10 * minute,
  log: [buildLogEntry({ at: startOfTest + 12 })],
});

const awaited = (...stored: readonly (Delivery | null)[]) => ({
  fanOut,
  deliveries: stored.map((delivery) => ({ id: retried.id, webhookId: retried.webhookId, stored: delivery })),
});

const ended = (...seen: readonly Awaited[]) => ({ seen, fault: null });

describe('awaitedLines()', () => {
  it.each([
    [false, ''],
    [true, '. Make it now in the console, or start the stack with --time-scale 600'],
  ])('shows the response, the error and the next attempt of a retry (local: %s)', (isLocal, sooner) => {
    const [event, , row, fault] = awaitedLines(awaited(retried), isLocal);

    expect(event).toBe(`Event ${eventId}, accepted at 2026-11-20T12:00:00.500Z`);
    expect(row).toBe(`${retried.id}  ${retried.webhookId}  pending  1         after 12 ms  500`);
    expect(fault).toBe(
      `${retried.id}: The endpoint answered 500. Look for the error in the log of the receiver or of its proxy. The next attempt is planned for 2026-11-20T12:10:00.500Z${sooner}`,
    );
  });

  it('shows a delivery that is not stored yet as pending, without attempts', () => {
    expect(awaitedLines(awaited(null), true)[2]).toMatch(/ {2}pending {2}0 {9}- {11}-$/);
  });

  it('says when nobody receives the event', () => {
    expect(awaitedLines(awaited(), true)[1]).toBe(
      'The customer has no active endpoint, so the event has no deliveries',
    );
  });
});

it('awaitedJson() has the event, and each delivery with its first POST and its next attempt', () => {
  expect(awaitedJson(awaited(retried))).toEqual({
    event: { id: eventId, accepted_at: '2026-11-20T12:00:00.500Z' },
    deliveries: [
      {
        id: retried.id,
        webhook_id: retried.webhookId,
        status: 'pending',
        attempts: 1,
        first_post_ms: 12,
        response_status: 500,
        error: expect.stringMatching(/^The endpoint answered 500. Look for/),
        next_attempt_at: '2026-11-20T12:10:00.500Z',
      },
    ],
  });
});

describe('throwUnlessDelivered()', () => {
  it('says what was sent when the wait could not look any more, without the words of a library', () => {
    const fault = Object.assign(new Error('the request socket timed out'), { name: 'TimeoutError' });
    const seen = [awaited(), awaited()];

    expect(() => throwUnlessDelivered({ seen, fault }, 30, 'list')).toThrow(
      /^2 messages were sent, and the wait ended early: A request was not answered in time: check [^@]*$/,
    );
  });

  it('says when the message was not accepted in time, and where it may be', () => {
    expect(() => throwUnlessDelivered(ended({ fanOut: null, deliveries: [] }), 30, 'list')).toThrow(
      'The wait of 30 s ended before the intake accepted the message. What it refused is here: list',
    );
    expect(() => throwUnlessDelivered(ended(awaited(), { fanOut: null, deliveries: [] }), 30, 'list')).toThrow(
      'The wait of 30 s ended before the intake accepted 1 of 2 messages. What',
    );
  });

  it('names both the failed and the pending deliveries', () => {
    const failed = buildDelivery({ status: 'failed' });
    const delivered = buildDelivery({ status: 'delivered' });

    expect(() => throwUnlessDelivered(ended(awaited(failed, delivered, retried)), 30, 'list')).toThrow(
      '1 of 3 deliveries failed, and the wait of 30 s ended while 1 of 3 deliveries was pending',
    );
    expect(() => throwUnlessDelivered(ended(awaited(delivered)), 30, 'list')).not.toThrow();
  });
});
