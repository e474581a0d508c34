import * as z from 'zod';
import { eventTypes } from '../domain/event.ts';

/** The members of a stored event body that a delivery's record repeats. */
const eventBody = z.object({
  id: z.string(),
  type: z.enum(eventTypes),
  run_id: z.string().optional(),
  tracker_id: z.string().optional(),
  change_report_id: z.string().optional(),
});

export type EventBody = z.infer<typeof eventBody>;

export function readEventBody(body: string): EventBody {
  return eventBody.parse(JSON.parse(body));
}
