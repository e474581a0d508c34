import * as z from 'zod/mini';
import type { ReplayStep } from '#shared/domain/bulk-replay.ts';

/** The JSON that the queue of bulk replays carries: a step that a job takes. */
const replayMessage = z.object({
  customer_id: z.string(),
  webhook_id: z.string(),
  replay_id: z.string(),
  step: z.int().check(z.minimum(1)),
});

/** Reads a message as the step that it carries. */
export const replayStep = z.pipe(
  replayMessage,
  z.transform(
    ({ customer_id, webhook_id, replay_id, step }): ReplayStep => ({
      key: { customerId: customer_id, webhookId: webhook_id, id: replay_id },
      step,
    }),
  ),
);

export function toReplayMessage({ key, step }: ReplayStep): z.infer<typeof replayMessage> {
  return { customer_id: key.customerId, webhook_id: key.webhookId, replay_id: key.id, step };
}
