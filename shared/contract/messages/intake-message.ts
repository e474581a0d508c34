import * as z from 'zod/mini';
import {
  engineId,
  givenChangeReport,
  givenTracker,
  openRun,
  platform,
  settledRun,
  videoItem,
} from '#shared/contract/records/given-results.ts';
import { isHandle } from '#shared/domain/creator.ts';

/** An item of the table holds 400 KB, including its keys and the deliveries of a Run. */
const maxRecordBytes = 350 * 1024;

/** A record that fits into one item as JSON. A larger one could never be stored, however often it is retried. */
const storable = <S extends z.ZodMiniType>(record: S) =>
  record.check(
    z.refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxRecordBytes,
      `must have at most ${maxRecordBytes} bytes as JSON`,
    ),
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
    handle: z.string().check(z.refine(isHandle, 'must be the name of an account')),
    videos: z.array(storable(videoItem)),
  }),
]);

export type IntakeMessage = z.infer<typeof intakeMessage>;
