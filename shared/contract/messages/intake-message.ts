import * as z from 'zod/mini';
import {
  engineId,
  givenChangeReport,
  givenTracker,
  handle,
  listOf,
  openRun,
  platform,
  settledRun,
  videoItem,
} from '#shared/contract/records/given-results.ts';
import { readableJson } from '#shared/domain/readable-json.ts';

/** An item of the table holds 400 KB, including its keys and the deliveries of a Run. */
const maxRecordBytes = 350 * 1024;

const rules = {
  size: `must have at most ${maxRecordBytes} bytes as JSON`,
  names: 'must have no names that differ only in NUL or half a surrogate pair',
};

/**
 * A record that fits into one item as JSON, and whose texts and names of members can be read everywhere. A larger one
 * could never be stored, however often it is retried. A name that was replaced can be the same as another one, so a
 * changed record is checked again.
 */
const storable = <S extends z.ZodMiniType>(record: S) =>
  z.pipe(
    record,
    z.transform((value: z.output<S>, context) => {
      const json = JSON.stringify(value);
      const text = readableJson(json);
      const fits = new TextEncoder().encode(text).length <= maxRecordBytes;
      const { data } = text === json ? { data: value } : record.safeParse(JSON.parse(text));
      if (data !== undefined && fits) return data;
      context.issues.push({ code: 'custom', message: fits ? rules.names : rules.size, input: value });
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
    items: listOf(storable(videoItem)),
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
    videos: listOf(storable(videoItem)),
  }),
]);

export type IntakeMessage = z.infer<typeof intakeMessage>;
