import { readEvent } from '#shared/contract/event-body.ts';
import { presentDelivery, presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { type AttemptLogEntry, noTimings } from '#shared/domain/attempt.ts';
import { type Delivery, pendingDelivery, recorded, transitionAfter } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { webhookTestBody } from '#shared/domain/event.ts';
import { nextAttemptAt } from '#shared/domain/retry-plan.ts';
import { bodies } from '../../../site/openapi/schemas/event-schemas.ts';

/** How an attempt ended. */
export type Ending = Pick<AttemptLogEntry, 'outcome' | 'responseStatus' | 'error'> &
  Partial<Pick<AttemptLogEntry, 'durationMs' | 'timings'>>;

const webhookId = 'whe_01KB3M0V8Q6YQ2S7ZP4N1D5T9C';
const accepted = Date.UTC(2026, 10, 20, 9, 30, 0, 7);
const begin = accepted + 111;
/** What a queue and a timer take. */
const lag = 1_204;

/** The delivery of the example event, or of a handshake, after attempts that ended in these ways. */
function afterAttempts(body: string, endings: readonly Ending[]): Delivery {
  const delivery = pendingDelivery({
    id: deliveryId(accepted, digest('example'), 1),
    customerId: 'cus_01KB3KZ0A1B2C3D4E5F6G7H8J9',
    webhookId,
    body,
    event: readEvent(body),
  });
  return attempted(delivery, begin, endings);
}

/** A delivery after attempts, the first of which began at that time, and each other as planned. */
export function attempted(pending: Delivery, begin: number, endings: readonly Ending[]): Delivery {
  let delivery = pending;
  let at = begin;
  for (const [index, { durationMs = 183, timings = noTimings, ...ending }] of endings.entries()) {
    const endedAt = at + durationMs;
    const claimed = { ...delivery, attempts: index + 1 };
    const transition = transitionAfter(claimed, ending.outcome, endedAt);
    delivery = recorded(claimed, { at, durationMs, timings, isRepeated: false, ...ending }, transition);
    at = (nextAttemptAt(delivery.id, index + 1, endedAt) ?? endedAt) + lag;
  }
  return delivery;
}

/** The record that the API returns for one delivery. */
export function shownDelivery(endings: readonly Ending[]): unknown {
  return presentDeliveryWithLog(afterAttempts(bodies['run.completed'], endings));
}

/** `error` of a delivery whose first attempt ended in this way. */
export function shownError(ending: Ending): string | null {
  return presentDelivery(afterAttempts(bodies['run.completed'], [ending])).error;
}

/** `error` of the `test_delivery` of a registration. */
export function shownHandshakeError(ending: Ending): string | null {
  const head = { id: 'evt_01KB3NQ2M7R4S6T8V0W2X4Y6Z8', createdAt: accepted };
  return presentDelivery(afterAttempts(webhookTestBody(head, webhookId), [ending])).error;
}
