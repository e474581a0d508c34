import * as z from 'zod/mini';

const baselineOf = (count: z.ZodMiniNumber<number>) =>
  z.object({
    median_views: z.number(),
    p90_views: z.number(),
    engagement_rate: z.number(),
    posts_per_week: z.number(),
    sample: count,
    confidence: z.string(),
    source: z.string(),
    computed_at: z.string(),
    stale: z.boolean(),
  });

const scoresOf = (count: z.ZodMiniNumber<number>) =>
  z.object({
    outlier: z.number(),
    outlier_p90: z.number(),
    percentile: count,
    velocity: z.object({ views_per_hour: z.number(), window: z.string() }),
    reason: z.nullable(z.string()),
    baseline: baselineOf(count),
  });

/** @param count schema of a number of things, such as views */
export const videoShape = (count: z.ZodMiniNumber<number>) =>
  z.object({
    platform: z.string(),
    id: z.string(),
    url: z.string(),
    description: z.string(),
    posted_at: z.string(),
    duration_seconds: count,
    thumbnail_url: z.string(),
    hashtags: z.array(z.string()),
    sound: z.object({ id: z.string(), title: z.string() }),
    creator: z.object({ id: z.string(), handle: z.string(), name: z.string(), follower_count: count }),
    snapshot: z.object({
      at: z.string(),
      views: count,
      likes: count,
      comments: count,
      shares: count,
      saves: count,
    }),
    scores: z.nullable(scoresOf(count)),
  });

/** The record of one video in every list of stored videos. */
export const videoRecord = videoShape(z.int());
