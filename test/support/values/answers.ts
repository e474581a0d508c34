import * as z from 'zod';
import { deliveryRecord } from '#shared/contract/records/delivery.ts';
import { webhookRecord } from '#shared/contract/records/webhook.ts';

/** Response to a registration. */
export const registeredAnswer = z.object({
  webhook: webhookRecord,
  secret: z.string(),
  test_delivery: deliveryRecord,
});

/** Response to a rotation. */
export const rotatedAnswer = z.object({
  webhook: webhookRecord,
  secret: z.string(),
  overlap_expires_at: z.string(),
});
