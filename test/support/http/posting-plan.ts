import * as z from 'zod';

/** The only argument of the posting process. */
export const postingPlan = z.object({
  /** Used in turn, repeatedly. Their hosts are all loopback, and trusted. */
  urls: z.array(z.string()).min(1),
  posts: z.int(),
  /** Posts of one batch. */
  atOnce: z.int(),
  deadlineMs: z.int(),
});

/** What the posting process prints at its end. Sizes are bytes. */
export const postingFigures = z.object({
  outcomes: z.record(z.string(), z.number()),
  /** Over every connection: what was read from its socket. */
  maxBytesRead: z.number(),
  totalBytesRead: z.number(),
  /** Between the end of the first batch and the end of the last, after garbage collection. */
  heapGrowth: z.number(),
  maxRss: z.number(),
  /** Most connections that waited in the pool after a batch. */
  maxIdle: z.number(),
  /** Most listeners on any connection after a batch. */
  maxListeners: z.number(),
  /** Connections, timers and other resources, once every connection had time to be closed. */
  left: z.array(z.string()),
  hasDecompressor: z.boolean(),
});

export type PostingPlan = z.infer<typeof postingPlan>;
export type PostingFigures = z.infer<typeof postingFigures>;
