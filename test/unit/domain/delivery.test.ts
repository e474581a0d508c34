import { describe, expect, it } from 'vitest';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import { classifyMessage, type DeliveryStatus, deliveryStatuses, transitionAfter } from '#shared/domain/delivery.ts';
import { nextAttemptAt, waitSpread } from '#shared/domain/retry-plan.ts';
import { buildDelivery, handshakeBody, startOfTest } from '../../support/values/builders.ts';
import deliveries from '../../vectors/deliveries.json' with { type: 'json' };
import plan from '../../vectors/retry-plan.json' with { type: 'json' };

const statusOf = (text: string): DeliveryStatus => deliveryStatuses.find((status) => status === text) ?? 'pending';

describe('transitionAfter()', () => {
  it.each(plan.transitions)(
    'after attempt $attempt $outcome (handshake: $handshake) is $status, next in $wait ms',
    ({ attempt, outcome: name, handshake, status, wait }) => {
      const outcome = attemptOutcomes.find((each) => each === name) ?? 'acknowledged';

      const delivery = buildDelivery({ attempts: attempt, ...(handshake && { body: handshakeBody }) });

      const transition = transitionAfter(delivery, outcome, startOfTest);

      if (wait === null) return expect(transition).toEqual({ status, endedAt: startOfTest });
      expect(transition).toEqual({ status, retryAt: expect.any(Number) });
      const waited = 'retryAt' in transition ? transition.retryAt - startOfTest : 0;
      expect(Math.abs(waited - wait)).toBeLessThanOrEqual(wait * waitSpread);
    },
  );

  it('the vectors decide transitionAfter() for every outcome', () => {
    expect(new Set(plan.transitions.map(({ outcome }) => outcome))).toEqual(new Set(attemptOutcomes));
  });
});

// A record shows when its attempts were planned, also those of another release.
it.each(plan.waits)('a delivery waits for the same times in each release: $delivery', ({ delivery, first, second }) => {
  const waits = [1, 2].map((attempt) => nextAttemptAt(delivery, attempt, 0));

  expect(waits).toEqual([first, second]);
});

it.each(deliveries.messages)('classifyMessage() finds $case $verdict', (vector) => {
  const { status, attempts, lease, retry, attempt, dueToleranceMs = 0, verdict } = vector;
  const delivery = buildDelivery({
    status: statusOf(status),
    attempts,
    claim: lease === null ? null : { fencingToken: 'token', leaseUntil: startOfTest + lease },
    retryAt: retry === null ? null : startOfTest + retry,
  });

  expect(classifyMessage(delivery, attempt, startOfTest, dueToleranceMs)).toBe(verdict);
});
