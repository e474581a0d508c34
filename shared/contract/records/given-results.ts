import * as z from 'zod/mini';
import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { machineText } from '#shared/contract/text-rules.ts';
import { zonedTime } from '#shared/contract/zoned-time.ts';
import { handleLength, isHandle } from '#shared/domain/creator.ts';
import { engineIdForm, engineIdLength, type IdKind, idPrefixes } from '#shared/domain/ids.ts';
import { videoRecord } from './video.ts';

/**
 * Results as the Run engine sends them, checked before they are stored. Unknown members are ignored, except in problems,
 * Trackers and Change Reports, whose additional members are stored. What programs compare is refused when its characters
 * are wrong; in other texts they are replaced.
 */
export function engineId(kind: IdKind) {
  const rule = `must be \`${idPrefixes[kind]}\` and letters, digits, underscores or hyphens`;
  return z.string().check(z.maxLength(engineIdLength), z.regex(engineIdForm(kind), rule));
}

const comparedText = machineText();

const toUtc = z.transform((text: string) => new Date(text).toISOString());

/** An offset can move a time out of the four-digit years: the result would neither sort nor parse as a time. */
const timestamp = z
  .pipe(zonedTime, toUtc)
  .check(z.refine((text) => /^\d{4}-/.test(text), 'must be within the years 0000 to 9999 in UTC'));

/**
 * A member that is stored as it is given. `JSON.parse` reads `1e400` as infinity, and `JSON.stringify` writes infinity as
 * `null`.
 */
const keptMember = z.unknown().check(z.refine(hasFiniteNumbers, 'must have no number beyond the range of a double'));

function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}

/** A member that may be absent is stored as `null`. */
const orNull = <S extends z.ZodMiniType>(schema: S) =>
  z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? null),
  );

/** Items of a list of which each wrong one is reported. */
const manyItems = 100;

/**
 * A list. The check of a longer one ends with the first item that is wrong: a message has room for more faults than a
 * function has memory for.
 */
export function listOf<S extends z.ZodMiniType>(item: S) {
  const upToFault = z.transform((given: z.input<S>[]) => {
    if (!Array.isArray(given) || given.length <= manyItems) return given;
    const wrong = given.findIndex((one) => !z.validate(item, one));
    return wrong === -1 ? given : given.slice(0, wrong + 1);
  });
  return z.pipe(upToFault, z.array(item));
}

/** A failure of a Run, with a code of the catalogue. Additional members are stored. */
const givenProblem = z.catchall(
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().check(z.refine(isProblemCode, 'must be a problem code of this service, such as `vendor_error`')),
    detail: z.optional(z.string()),
  }),
  keptMember,
);

const runHead = {
  id: engineId('run'),
  kind: comparedText.check(z.minLength(1), z.maxLength(64)),
  tracker_id: orNull(engineId('tracker')),
  created_at: timestamp,
};

export const openRun = z.object({
  ...runHead,
  status: z.enum(['queued', 'running']),
  charge_usd: orNull(z.number().check(z.nonnegative())),
});

export const settledRun = z.object({
  ...runHead,
  status: z.enum(['completed', 'partial', 'failed']),
  charge_usd: z.number().check(z.nonnegative()),
  settled_at: timestamp,
  error: orNull(givenProblem),
  problems: orNull(listOf(givenProblem)),
});

/** Platform and video id are parts of keys: neither contains a separator, and their length in bytes is bounded. */
export const platform = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_.-]{1,32}$/, 'must be 1 to 32 letters, digits, underscores, dots or hyphens'));
const videoId = machineText('#%', '`#`, `%`, ').check(
  z.minLength(1),
  z.refine((text) => new TextEncoder().encode(text).length <= 256, 'must have at most 256 bytes'),
);

/** A path may be decoded twice on its way to a function, so no handle has a percent sign. */
export const handle = comparedText.check(
  z.refine(
    (text) => isHandle(text) && !text.includes('%'),
    `must be a handle: 1 to ${handleLength} characters, not only \`@\`, without \`%\``,
  ),
);

const { sound, creator, snapshot, scores } = videoRecord.shape;
const presentScores = scores.def.innerType;
const { velocity, baseline } = presentScores.shape;

/** One video: its record, with stricter rules. */
export const videoItem = z.extend(videoRecord, {
  platform,
  id: videoId,
  posted_at: timestamp,
  hashtags: listOf(z.string()),
  sound: z.extend(sound, { id: comparedText }),
  creator: z.extend(creator, { id: engineId('creator'), handle: comparedText }),
  snapshot: z.extend(snapshot, { at: timestamp }),
  scores: z.nullable(
    z.extend(presentScores, {
      velocity: z.extend(velocity, { window: comparedText }),
      reason: z.nullable(comparedText),
      baseline: z.extend(baseline, {
        confidence: comparedText,
        source: comparedText,
        computed_at: timestamp,
      }),
    }),
  ),
});

export const givenTracker = z.catchall(
  z.object({
    id: engineId('tracker'),
    kind: comparedText.check(z.minLength(1)),
    status: comparedText.check(z.minLength(1)),
    created_at: timestamp,
  }),
  keptMember,
);

export const givenChangeReport = z.catchall(
  z.object({ id: engineId('changeReport'), run_id: engineId('run'), created_at: timestamp }),
  keptMember,
);

export type OpenRun = z.infer<typeof openRun>;
export type SettledRun = z.infer<typeof settledRun>;
export type GivenTracker = z.infer<typeof givenTracker>;
export type VideoItem = z.infer<typeof videoItem>;
