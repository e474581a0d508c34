import * as z from 'zod/mini';
import { videoShape } from './video.ts';

/**
 * Schemas of stored results with the types that a response needs, without the rules of the intake. Rules change with
 * releases while stored rows stay, and rows of earlier and later releases must remain readable.
 */

const storedProblem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
});

export const storedRun = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  tracker_id: z.nullish(z.string()),
  charge_usd: z.nullish(z.number()),
  created_at: z.string(),
  settled_at: z.nullish(z.string()),
  error: z.nullish(storedProblem),
  problems: z.nullish(z.array(storedProblem)),
});

/** A settled Run with the members that an event carries. */
export const storedSettledRun = z.extend(storedRun, {
  tracker_id: z.nullable(z.string()),
  charge_usd: z.number(),
});

export const storedTracker = z.looseObject({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  created_at: z.string(),
});

export const storedChangeReport = z.looseObject({
  id: z.string(),
  run_id: z.string(),
  created_at: z.string(),
});

export const storedVideo = videoShape(z.number());

export type StoredProblem = z.infer<typeof storedProblem>;
export type StoredRun = z.infer<typeof storedRun>;
export type StoredSettledRun = z.infer<typeof storedSettledRun>;
export type StoredTracker = z.infer<typeof storedTracker>;
export type StoredChangeReport = z.infer<typeof storedChangeReport>;
export type StoredVideo = z.infer<typeof storedVideo>;
