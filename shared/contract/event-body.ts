import * as z from 'zod/mini';
import type { EventSummary } from '#shared/domain/event.ts';

/** The members of a stored event body that the record of a delivery repeats. A later release may add event types. */
const eventBody = z.pipe(
  z.object({
    id: z.string(),
    type: z.string(),
    run_id: z.optional(z.string()),
    tracker_id: z.optional(z.string()),
    change_report_id: z.optional(z.string()),
    example: z.catch(z.optional(z.object({ type: z.string() })), undefined),
  }),
  z.transform(
    ({ id, type, run_id, tracker_id, change_report_id, example }): EventSummary => ({
      id,
      type,
      runId: run_id ?? null,
      trackerId: tracker_id ?? null,
      changeReportId: change_report_id ?? null,
      exampleType: example?.type ?? null,
    }),
  ),
);

/**
 * Reads the event of a body.
 *
 * @returns `null` when the body is not an event; its delivery can be neither sent nor shown
 */
export function parseEvent(body: string): EventSummary | null {
  try {
    return eventBody.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

/** Reads the event of a body that this service wrote. @throws Error when the body is not an event */
export function readEvent(body: string): EventSummary {
  const event = parseEvent(body);
  if (event === null) throw new Error('Cannot read an event: the body is not a JSON object with an id and a type');
  return event;
}
