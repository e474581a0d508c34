import * as z from 'zod/mini';
import type { DueAttempt } from '#shared/domain/delivery.ts';

/** The JSON that the delivery queue carries: an attempt that has come due. */
export const deliveryMessage = z.object({
  customer_id: z.string(),
  webhook_id: z.string(),
  delivery_id: z.string(),
  attempt: z.int().check(z.minimum(1)),
});

export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/** Reads a message as the attempt that it carries. */
export const dueAttempt = z.pipe(
  deliveryMessage,
  z.transform(
    ({ customer_id, webhook_id, delivery_id, attempt }): DueAttempt => ({
      key: { customerId: customer_id, webhookId: webhook_id, id: delivery_id },
      attempt,
    }),
  ),
);

export function toDeliveryMessage({ key, attempt }: DueAttempt): DeliveryMessage {
  return { customer_id: key.customerId, webhook_id: key.webhookId, delivery_id: key.id, attempt };
}
