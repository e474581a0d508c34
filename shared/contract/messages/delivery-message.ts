import * as z from 'zod';

/** What the delivery queue carries: which attempt of which delivery is due. */
export const deliveryMessage = z.object({
  customer_id: z.string(),
  webhook_id: z.string(),
  delivery_id: z.string(),
  attempt: z.int().min(1),
});

export type DeliveryMessage = z.infer<typeof deliveryMessage>;
