import * as z from 'zod';
import type { FanOut } from '#shared/domain/fan-out.ts';

/** The fan-out of an event, as an attribute beside what it is about. */
export const fanOutItem = z.object({
  eventId: z.string(),
  acceptedAt: z.number(),
  deliveries: z.array(z.object({ webhookId: z.string(), deliveryId: z.string() })),
}) satisfies z.ZodType<FanOut>;
