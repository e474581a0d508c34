import * as z from 'zod/mini';
import {
  engineId,
  givenChangeReport,
  givenTracker,
  handle,
  openRun,
  platform,
  settledRun,
  videoItem,
} from '#shared/contract/records/given-results.ts';
import { readableJson } from '#shared/domain/readable-json.ts';

/** An item of the table holds 400 KB, including its keys and the deliveries of a Run. */
const maxRecordBytes = 350 * 1024;

/** A record that fits into one item as JSON. A larger one could never be stored, however often it is retried. */
const storable = <S extends z.ZodMiniType>(record: S) =>
  readable(record).check(
    z.refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxRecordBytes,
      `must have at most ${maxRecordBytes} bytes as JSON`,
    ),
  );

const namesRule = 'must have no two names of members that differ only in NUL or half a surrogate pair';

/**
 * A record whose texts and names of members can be read everywhere. A name that was replaced can be the same as another
 * one, so a changed record is checked again.
 */
const readable = <S extends z.ZodMiniType>(record: S) =>
  z.pipe(
    record,
    z.transform((value: z.output<S>, context) => {
      const json = JSON.stringify(value);
      const changed = readableJson(json);
      if (changed === json) return value;
      const again = record.safeParse(JSON.parse(changed));
      if (again.success) return again.data;
      context.issues.push({ code: 'custom', message: namesRule, input: value });
      return z.NEVER;
    }),
  );

const customer = { customer_id: engineId('customer') };

/** A message of the Run engine on the intake queue: one JSON object. docs/intake.md documents the format for senders. */
export const intakeMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run.saved'), ...customer, run: storable(openRun) }),
  z.object({
    type: z.literal('run.items_saved'),
    ...customer,
    run_id: engineId('run'),
    items: z.array(storable(videoItem)),
  }),
  z.object({ type: z.literal('run.settled'), ...customer, run: storable(settledRun) }),
  z.object({ type: z.literal('tracker.saved'), ...customer, tracker: storable(givenTracker) }),
  z
    .object({
      type: z.literal('change_report.written'),
      ...customer,
      tracker_id: engineId('tracker'),
      change_report: storable(givenChangeReport),
      run: storable(settledRun),
    })
    .check(
      z.refine((message) => message.change_report.run_id === message.run.id, {
        path: ['change_report', 'run_id'],
        message: 'must be the id of the Run in this message',
      }),
    ),
  z.object({
    type: z.literal('creator_videos.saved'),
    ...customer,
    platform,
    handle,
    videos: z.array(storable(videoItem)),
  }),
]);

export type IntakeMessage = z.infer<typeof intakeMessage>;
