import * as z from 'zod';

/** The members of a stored event body that a delivery's record repeats. A later release may add event types. */
const eventBody = z.object({
  id: z.string(),
  type: z.string(),
  run_id: z.string().optional(),
  tracker_id: z.string().optional(),
  change_report_id: z.string().optional(),
});

export type EventBody = z.infer<typeof eventBody>;

/** Whether a delivery with this body can be sent and shown. */
export function isEventBody(body: string): boolean {
  try {
    return eventBody.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

export function readEventBody(body: string): EventBody {
  return eventBody.parse(JSON.parse(body));
}
