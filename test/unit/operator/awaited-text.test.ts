import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { awaitedLines, throwUnlessDelivered } from '../../../operator/awaited-text.ts';
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

describe('awaitedLines()', () => {
  it('shows the response, the error and the next attempt of a delivery that will be retried', () => {
    const [event, , row, fault] = awaitedLines(awaited(retried));

    expect(event).toBe(`Event ${eventId}, accepted at 2026-11-20T12:00:00.500Z`);
    expect(row).toBe(`${retried.id}  ${retried.webhookId}  pending  1         after 12 ms  500`);
    expect(fault).toBe(
      `${retried.id}: The endpoint answered 500. Look for the error in the log of the receiver or of its proxy. The next attempt is planned for 2026-11-20T12:10:00.500Z`,
    );
  });

  it('shows a delivery that is not stored yet as pending, without attempts', () => {
    expect(awaitedLines(awaited(null))[2]).toMatch(/ {2}pending {2}0 {9}- {11}-$/);
  });
});

describe('throwUnlessDelivered()', () => {
  it('names both the failed and the pending deliveries', () => {
    const failed = buildDelivery({ status: 'failed' });
    const delivered = buildDelivery({ status: 'delivered' });

    expect(() => throwUnlessDelivered(awaited(failed, delivered, retried), 30, 'list')).toThrow(
      '1 of 3 deliveries failed, and the wait of 30 s ended while 1 of 3 deliveries was pending',
    );
    expect(() => throwUnlessDelivered(awaited(delivered), 30, 'list')).not.toThrow();
  });
});
