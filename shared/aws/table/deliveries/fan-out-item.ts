import * as z from 'zod/mini';
import type { FanOut } from '#shared/domain/fan-out.ts';

/** The fan-out of an event, an attribute of the Run or Change Report that the event is about. */
export const fanOutItem = z.object({
  eventId: z.string(),
  acceptedAt: z.number(),
  deliveries: z.array(z.object({ webhookId: z.string(), deliveryId: z.string() })),
}) satisfies z.ZodMiniType<FanOut>;
