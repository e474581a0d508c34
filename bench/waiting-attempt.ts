import { randomBytes } from 'node:crypto';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { StackScene } from './stack-scene.ts';

const newId = (kind: 'event' | 'run') => makeId(kind, Date.now(), randomBytes(10));

/** Stores a delivery whose message no queue has. @returns that message */
export async function waitingAttempt(
  { table }: StackScene,
  customerId: string,
  webhookId: string,
): Promise<object> {
  const createdAt = Date.now();
  const run = { id: newId('run'), kind: 'search', status: 'completed', chargeUsd: 0.25, trackerId: null };
  const body = runCompletedBody({ id: newId('event'), createdAt }, run, 'https://api.example.com');
  const id = deliveryId(createdAt, randomBytes(10), 1);
  const delivery = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
  await storeDelivery(table)(delivery, null);
  return toDeliveryMessage(nextAttempt(delivery));
}
