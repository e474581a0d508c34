import * as z from 'zod';

const baseline = z.object({
  median_views: z.number(),
  p90_views: z.number(),
  engagement_rate: z.number(),
  posts_per_week: z.number(),
  sample: z.int(),
  confidence: z.string(),
  source: z.string(),
  computed_at: z.string(),
  stale: z.boolean(),
});

const scores = z.object({
  outlier: z.number(),
  outlier_p90: z.number(),
  percentile: z.int(),
  velocity: z.object({ views_per_hour: z.number(), window: z.string() }),
  reason: z.string().nullable(),
  baseline,
});

/** The record of one video, as every list of stored videos shows it. */
export const videoRecord = z.object({
  platform: z.string(),
  id: z.string(),
  url: z.string(),
  description: z.string(),
  posted_at: z.string(),
  duration_seconds: z.int(),
  thumbnail_url: z.string(),
  hashtags: z.array(z.string()),
  sound: z.object({ id: z.string(), title: z.string() }),
  creator: z.object({ id: z.string(), handle: z.string(), name: z.string(), follower_count: z.int() }),
  snapshot: z.object({
    at: z.string(),
    views: z.int(),
    likes: z.int(),
    comments: z.int(),
    shares: z.int(),
    saves: z.int(),
  }),
  scores: scores.nullable(),
});

export type VideoRecord = z.infer<typeof videoRecord>;
