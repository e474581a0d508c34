import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { finishMessage } from '#shared/operations/delivery/finish-message.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import {
  buildDelivery,
  customerId,
  minute,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

/** A message for attempt 1; nothing may be recorded or reported. */
async function finish(delivery: Delivery | null) {
  const scheduled: unknown[] = [];
  const result = await finishMessage(
    {
      now: () => startOfTest,
      dueToleranceMs: 0,
      recordAttempt: unexpected('recordAttempt'),
      scheduleAttempt: async (message, at, lane) =>
        void scheduled.push({ attempt: message.attempt, at, lane }),
      report: unexpected('report'),
    },
    { key: { customerId, webhookId, id: buildDelivery().id }, attempt: 1 },
    delivery,
    'slow',
  );
  return { result, scheduled };
}

describe('finishMessage()', () => {
  it.each([
    ['not stored yet', null, 'retry'],
    ['claimable after all, as another worker gave it back', buildDelivery(), 'retry'],
    ['ended', buildDelivery({ status: 'failed', attempts: 1 }), 'done'],
    ['past this attempt', buildDelivery({ attempts: 2, retryAt: startOfTest }), 'done'],
    ['recorded, with no time for a next attempt', buildDelivery({ attempts: 1 }), 'done'],
  ] as const)('schedules nothing for a delivery that is %s', async (_, delivery, result) => {
    expect(await finish(delivery)).toEqual({ result, scheduled: [] });
  });

  it('makes the timer of the next attempt for a waiting delivery, in the given lane', async () => {
    const waiting = buildDelivery({ attempts: 1, retryAt: startOfTest + minute });

    expect(await finish(waiting)).toEqual({
      result: 'done',
      scheduled: [{ attempt: 2, at: startOfTest + minute, lane: 'slow' }],
    });
  });
});
