import * as z from 'zod';
import { type IdKind, idPrefixes } from '../domain/ids.ts';
import { isProblemCode } from './problem-codes.ts';

/**
 * What the Run engine puts on the intake queue: one JSON object per message. Unknown members are ignored, except
 * in Trackers and Change Reports, whose further members are stored as given. docs/intake.md is for its writers.
 */
const id = (kind: IdKind) =>
  z
    .string()
    .max(128)
    .regex(
      new RegExp(`^${idPrefixes[kind]}[A-Za-z0-9_-]+$`),
      `must be ${idPrefixes[kind]} and an identifier`,
    );

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
  error: storedProblem.nullish().transform((value) => value ?? null),
  problems: z
    .array(storedProblem)
    .nullish()
    .transform((value) => value ?? null),
});

const scores = z.object({
  outlier: z.number(),
  outlier_p90: z.number(),
  percentile: z.int(),
  velocity: z.object({ views_per_hour: z.number(), window: z.string() }),
  reason: z.string().nullable(),
  baseline: z.object({
    median_views: z.number(),
    p90_views: z.number(),
    engagement_rate: z.number(),
    posts_per_week: z.number(),
    sample: z.int(),
    confidence: z.string(),
    source: z.string(),
    computed_at: timestamp,
    stale: z.boolean(),
  }),
});

/** One video, as the lists of stored videos show it. */
export const videoItem = z.object({
  platform: z.string().min(1),
  id: z.string().min(1).max(256),
  url: z.string(),
  description: z.string(),
  posted_at: timestamp,
  duration_seconds: z.int(),
  thumbnail_url: z.string(),
  hashtags: z.array(z.string()),
  sound: z.object({ id: z.string(), title: z.string() }),
  creator: z.object({ id: id('creator'), handle: z.string(), name: z.string(), follower_count: z.int() }),
  snapshot: z.object({
    at: timestamp,
    views: z.int(),
    likes: z.int(),
    comments: z.int(),
    shares: z.int(),
    saves: z.int(),
  }),
  scores: scores.nullable(),
});

const tracker = z.looseObject({
  id: id('tracker'),
  kind: z.string().min(1),
  status: z.string().min(1),
  created_at: timestamp,
});

const changeReport = z.looseObject({
  id: id('changeReport'),
  run_id: id('run'),
  created_at: timestamp,
});

const customer = { customer_id: id('customer') };

export const intakeMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run.saved'), ...customer, run: openRun }),
  z.object({
    type: z.literal('run.items_saved'),
    ...customer,
    run_id: id('run'),
    items: z.array(videoItem),
  }),
  z.object({ type: z.literal('run.settled'), ...customer, run: settledRun }),
  z.object({ type: z.literal('tracker.saved'), ...customer, tracker }),
  z
    .object({
      type: z.literal('change_report.written'),
      ...customer,
      tracker_id: id('tracker'),
      change_report: changeReport,
      run: settledRun,
    })
    .refine((message) => message.change_report.run_id === message.run.id, {
      path: ['change_report', 'run_id'],
      message: 'must be the id of the Run in this message',
    }),
  z.object({
    type: z.literal('creator_videos.saved'),
    ...customer,
    platform: z.string().min(1).max(32),
    handle: z.string().min(1).max(128),
    videos: z.array(videoItem),
  }),
]);

export type IntakeMessage = z.infer<typeof intakeMessage>;
export type OpenRun = z.infer<typeof openRun>;
export type SettledRun = z.infer<typeof settledRun>;
export type StoredTracker = z.infer<typeof tracker>;
export type StoredChangeReport = z.infer<typeof changeReport>;
export type VideoItem = z.infer<typeof videoItem>;
