import * as z from 'zod';
import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
import { isHandle } from '#shared/domain/creator.ts';
import { engineIdForm, engineIdLength } from '#shared/domain/engine-id.ts';
import { type IdKind, idPrefixes } from '#shared/domain/ids.ts';

/**
 * A message of the Run engine on the intake queue: one JSON object. Unknown members are ignored, except in Trackers and
 * Change Reports, whose additional members are stored as given. docs/intake.md documents the format for senders.
 */
const id = (kind: IdKind) =>
  z.string().max(engineIdLength).regex(engineIdForm(kind), `must be ${idPrefixes[kind]} and an identifier`);

/** An offset can move a time out of the four-digit years: the result would neither sort nor parse as a time. */
const timestamp = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text), 'must be within the years 0000 to 9999 in UTC');

/** A member that is stored as given. `JSON.parse` reads `1e400` as infinity, and infinity is written as `null`. */
const keptMember = z.unknown().refine(hasFiniteNumbers, 'must have no number beyond the range of a double');

function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}

/** A failure of a Run, with a code of the catalogue. Additional members are stored as given. */
const givenProblem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().refine(isProblemCode, 'must be a code of the catalogue'),
    detail: z.string().optional(),
  })
  .catchall(keptMember);

const runHead = {
  id: id('run'),
  kind: z.string().min(1).max(64),
  tracker_id: id('tracker')
    .nullish()
    .transform((value) => value ?? null),
  created_at: timestamp,
};

const openRun = z.object({
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
  error: givenProblem.nullish().transform((value) => value ?? null),
  problems: z
    .array(givenProblem)
    .nullish()
    .transform((value) => value ?? null),
});

/**
 * Both are parts of keys, so neither may contain the separator of keys, and their length is bounded in bytes.
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

/** One video: its record, with stricter rules. */
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

const givenTracker = z
  .object({
    id: id('tracker'),
    kind: z.string().min(1),
    status: z.string().min(1),
    created_at: timestamp,
  })
  .catchall(keptMember);

const givenChangeReport = z
  .object({ id: id('changeReport'), run_id: id('run'), created_at: timestamp })
  .catchall(keptMember);

/** An item of the table holds 400 KB, including its keys and the deliveries of a Run. */
const maxRecordBytes = 350 * 1024;

/** A record that fits into one item as JSON. A larger one could never be stored, however often it is retried. */
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
  z.object({ type: z.literal('tracker.saved'), ...customer, tracker: storable(givenTracker) }),
  z
    .object({
      type: z.literal('change_report.written'),
      ...customer,
      tracker_id: id('tracker'),
      change_report: storable(givenChangeReport),
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
export type GivenTracker = z.infer<typeof givenTracker>;
export type VideoItem = z.infer<typeof videoItem>;
