import * as z from 'zod';
import { isHandle } from '../domain/creator.ts';
import { engineIdForm, engineIdLength } from '../domain/engine-id.ts';
import { type IdKind, idPrefixes } from '../domain/ids.ts';
import { isProblemCode } from './problem-codes.ts';
import { videoRecord } from './video.ts';

/**
 * What the Run engine puts on the intake queue: one JSON object per message. Unknown members are ignored, except
 * in Trackers and Change Reports, whose further members are stored as given. docs/intake.md is for its writers.
 */
const id = (kind: IdKind) =>
  z.string().max(engineIdLength).regex(engineIdForm(kind), `must be ${idPrefixes[kind]} and an identifier`);

const timestamp = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

/** A failure that a Run carries. Codes are those of the catalogue; further members are kept. */
const storedProblem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string().refine(isProblemCode, 'must be a code of the catalogue'),
  detail: z.string().optional(),
});

const runHead = {
  id: id('run'),
  kind: z.string().min(1).max(64),
  tracker_id: id('tracker')
    .nullish()
    .transform((value) => value ?? null),
  created_at: timestamp,
};

export const openRun = z.object({
  ...runHead,
  status: z.enum(['queued', 'running']),
  charge_usd: z
    .number()
    .nonnegative()
    .nullish()
    .transform((value) => value ?? null),
});

export const settledRun = z.object({
  ...runHead,
  status: z.enum(['completed', 'partial', 'failed']),
  charge_usd: z.number().nonnegative(),
  settled_at: timestamp,
  error: storedProblem.nullish().transform((value) => value ?? null),
  problems: z
    .array(storedProblem)
    .nullish()
    .transform((value) => value ?? null),
});

/**
 * Both are parts of keys, so neither may hold what separates those, and their length is bounded in bytes.
 */
const platform = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,32}$/, 'must be up to 32 letters, digits, underscores, dots or hyphens');
const videoId = z
  .string()
  .regex(/^[^#%\p{Cc}\p{Cs}]+$/u, 'must be text without #, % and control characters')
  .refine((text) => new TextEncoder().encode(text).length <= 256, 'must have at most 256 bytes');

const { creator, snapshot, scores } = videoRecord.shape;
const { baseline } = scores.unwrap().shape;

/** One video: its record, checked. */
export const videoItem = videoRecord.extend({
  platform,
  id: videoId,
  posted_at: timestamp,
  creator: creator.extend({ id: id('creator') }),
  snapshot: snapshot.extend({ at: timestamp }),
  scores: scores
    .unwrap()
    .extend({ baseline: baseline.extend({ computed_at: timestamp }) })
    .nullable(),
});

export const storedTracker = z.looseObject({
  id: id('tracker'),
  kind: z.string().min(1),
  status: z.string().min(1),
  created_at: timestamp,
});

export const storedChangeReport = z.looseObject({
  id: id('changeReport'),
  run_id: id('run'),
  created_at: timestamp,
});

/** An item of the table holds 400 KB, with its keys and what a Run says of its deliveries. */
const maxRecordBytes = 350 * 1024;

/** A record that fits into one item as JSON; what does not could never be stored, however often it came. */
const storable = <S extends z.ZodType>(record: S) =>
  record.refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxRecordBytes,
    `must have at most ${maxRecordBytes} bytes as JSON`,
  );

const customer = { customer_id: id('customer') };

export const intakeMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run.saved'), ...customer, run: storable(openRun) }),
  z.object({
    type: z.literal('run.items_saved'),
    ...customer,
    run_id: id('run'),
    items: z.array(storable(videoItem)),
  }),
  z.object({ type: z.literal('run.settled'), ...customer, run: storable(settledRun) }),
  z.object({ type: z.literal('tracker.saved'), ...customer, tracker: storable(storedTracker) }),
  z
    .object({
      type: z.literal('change_report.written'),
      ...customer,
      tracker_id: id('tracker'),
      change_report: storable(storedChangeReport),
      run: storable(settledRun),
    })
    .refine((message) => message.change_report.run_id === message.run.id, {
      path: ['change_report', 'run_id'],
      message: 'must be the id of the Run in this message',
    }),
  z.object({
    type: z.literal('creator_videos.saved'),
    ...customer,
    platform,
    handle: z.string().refine(isHandle, 'must be the name of an account'),
    videos: z.array(storable(videoItem)),
  }),
]);

export type IntakeMessage = z.infer<typeof intakeMessage>;
export type OpenRun = z.infer<typeof openRun>;
export type SettledRun = z.infer<typeof settledRun>;
export type StoredRun = OpenRun | SettledRun;
export type StoredProblem = z.infer<typeof storedProblem>;
export type StoredTracker = z.infer<typeof storedTracker>;
export type StoredChangeReport = z.infer<typeof storedChangeReport>;
export type VideoItem = z.infer<typeof videoItem>;
