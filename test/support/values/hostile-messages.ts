import fc from 'fast-check';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import { anyCharacter } from './any-character.ts';
import { customerId } from './builders.ts';

/**
 * Intake messages as JSON text, as odd as a Run engine could write them. The intake accepts some of them; those have to
 * be stored, read and written again unchanged.
 */

/** The second of them once in twenty times. */
const mostly = <T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: rare });

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const year = fc.oneof(fc.constantFrom('0000', '0001', '1969', '1970', '2026', '9998', '9999'), digits(4));
const day = fc.constantFrom('01-01', '12-31', '02-28', '06-30');
const clock = fc.constantFrom('00:00:00', '23:59:59', '23:59:59.999', '12:30:15.123456789');
const zones = 'Z +00:00 -00:00 +00:01 -00:01 +14:00 -14:00 +23:59 -23:59';
const zone = fc.constantFrom(...zones.split(' '));
const written = (...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map(([y, d, c, z]) => `${y}-${d}T${c}${z}`);
const timestamp = fc.oneof(
  { weight: 60, arbitrary: written(year, day, clock, zone) },
  { weight: 1, arbitrary: written(fc.constantFrom('+010000', '-000001', '10000', '999'), day, clock, zone) },
  { weight: 1, arbitrary: written(year, fc.constantFrom('02-29', '11-31', '13-01'), clock, zone) },
  { weight: 1, arbitrary: written(year, day, fc.constantFrom('00:00', '24:00:00', '12:00:60'), zone) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  { weight: 1, arbitrary: fc.string() },
);

/** Numbers as text: JSON allows more digits than a double or DynamoDB holds. */
const odd = '0 -0 -0.0 1 0.1 1e21 1e-7 5e-324 1e-200 1e-400 1.7976931348623157e308'.split(' ');
const long = ['9007199254740993', '0.1234567890123456789012345678901234567890123'];
const numberText = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...odd, ...long) },
  { weight: 20, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map(String) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.constantFrom('1e400', '-1e400') },
);

/** Texts that JSON, UTF-8, keys or prototypes might trip over. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', ' ', '#', '%23', '\u0000', '\ud800', 'a\udc00b', '\u2028', '\ufeff'),
  fc.constantFrom('__proto__', 'İ', '🎬', '"\\'),
  fc.integer({ min: 250, max: 3000 }).map((length) => 'é'.repeat(length)),
);

/** A number that goes into the text exactly as written. */
class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const number = numberText.map((written) => new Verbatim(written));

const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toJSON', 'id', 'links', 'prototype'));
const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('anything'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('anything')), { maxLength: 3 }).map(members),
    fc.integer({ min: 1, max: 90 }).map(nested),
  ),
}));

/** Members in a map, so that `__proto__` is one like any other. */
function members(entries: readonly (readonly [string, unknown])[]): ReadonlyMap<string, unknown> {
  return new Map(entries);
}

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const more = fc.array(fc.tuple(key, anything), { maxLength: 3 });

/** A record with its required members, and others beside them. */
function record(required: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<ReadonlyMap<string, unknown>> {
  return fc.tuple(fc.record(required), more).map(([known, others]) => new Map([...others, ...Object.entries(known)]));
}

const id = (prefix: string) => fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/).map((rest) => `${prefix}_${rest}`);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const count = fc.oneof({ weight: 60, arbitrary: fc.nat() }, { weight: 1, arbitrary: number });
const short = mostly(fc.string({ minLength: 1, maxLength: 10 }), text);

const problem = record({
  type: text,
  title: text,
  status: count,
  code: fc.constantFrom(...Object.keys(problemCodes)),
});
const runHead = { id: id('run'), kind: short, tracker_id: maybe(id('trk')), created_at: timestamp };
const open = record({ ...runHead, status: fc.constantFrom('queued', 'running'), charge_usd: maybe(number) });
const settledMembers = {
  ...runHead,
  status: fc.constantFrom('completed', 'partial', 'failed'),
  charge_usd: number,
  settled_at: timestamp,
  error: maybe(problem),
  problems: maybe(fc.array(problem, { maxLength: 2 })),
};

const video = record({
  platform: fc.constantFrom('tiktok', 'youtube'),
  id: mostly(fc.stringMatching(/^[a-z0-9]{1,12}$/), text),
  url: text,
  description: text,
  posted_at: timestamp,
  duration_seconds: count,
  thumbnail_url: text,
  hashtags: fc.array(text, { maxLength: 2 }),
  sound: record({ id: short, title: text }),
  creator: record({ id: id('cre'), handle: short, name: text, follower_count: count }),
  snapshot: record({
    at: timestamp,
    views: count,
    likes: count,
    comments: count,
    shares: count,
    saves: count,
  }),
  scores: maybe(
    record({
      outlier: number,
      outlier_p90: number,
      percentile: count,
      velocity: record({ views_per_hour: number, window: short }),
      reason: maybe(short),
      baseline: record({
        median_views: number,
        p90_views: number,
        engagement_rate: number,
        posts_per_week: number,
        sample: count,
        confidence: short,
        source: short,
        computed_at: timestamp,
        stale: fc.boolean(),
      }),
    }),
  ),
});
const videos = fc.array(video, { maxLength: 3 });

const message = (type: string, required: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  record({ type: fc.constant(type), customer_id: fc.constant(customerId), ...required });

const reportMessage = id('run').chain((runId) =>
  message('change_report.written', {
    tracker_id: id('trk'),
    change_report: record({ id: id('chg'), run_id: fc.constant(runId), created_at: timestamp }),
    run: record({ ...settledMembers, id: fc.constant(runId) }),
  }),
);

/** JSON text of a message of each type. */
export const hostileMessages = {
  'run.saved': message('run.saved', { run: open }),
  'run.items_saved': message('run.items_saved', { run_id: id('run'), items: videos }),
  'run.settled': message('run.settled', { run: record(settledMembers) }),
  'tracker.saved': message('tracker.saved', {
    tracker: record({ id: id('trk'), kind: short, status: short, created_at: timestamp }),
  }),
  'change_report.written': reportMessage,
  'creator_videos.saved': message('creator_videos.saved', {
    platform: fc.constantFrom('tiktok', 'youtube'),
    handle: short,
    videos,
  }),
} as const;

/** Like JSON.stringify, but also writes numbers that are given as text, and maps. */
export function writeJson(value: unknown): string {
  if (value instanceof Verbatim) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join()}}`;
  }
  return JSON.stringify(value);
}
