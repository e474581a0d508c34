import { problemCodes } from '#shared/contract/problem-codes.ts';
import type { VideoItem } from '#shared/contract/records/given-results.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type Creator, canonicalHandle } from '#shared/domain/creator.ts';
import { idPrefixes, makeId } from '#shared/domain/ids.ts';

/** The choices a caller can make for an example message. */
export type MessageChoices = {
  readonly customer: string;
  readonly status?: 'completed' | 'partial' | 'failed';
  readonly kind?: string;
  readonly run?: string;
  readonly tracker?: string;
  readonly charge?: number;
  readonly platform?: string;
  readonly handle?: string;
  /** Number of videos. Default 3. */
  readonly count?: number;
};

type Given = MessageChoices & {
  readonly run: string;
  readonly at: number;
  readonly random: (size: number) => Uint8Array;
};

type MessageType = {
  /** The choices that change the message. */
  readonly takes: readonly string[];
  readonly build: (given: Given) => object;
};

const ofRun = ['run', 'kind', 'tracker'] as const;
const ofSettledRun = [...ofRun, 'status', 'charge'] as const;
const ofVideos = ['platform', 'handle', 'count'] as const;

const types: Readonly<Record<string, MessageType>> = {
  'run.saved': { takes: ofRun, build: (given) => ({ run: { ...runHead(given), status: 'running' } }) },
  'run.items_saved': {
    takes: ['run', ...ofVideos],
    build: (given) => ({ run_id: given.run, items: videos(given) }),
  },
  'run.settled': { takes: ofSettledRun, build: (given) => ({ run: settledRun(given) }) },
  'tracker.saved': {
    takes: ofRun,
    build: (given) => ({
      tracker: {
        id: trackerId(given),
        kind: given.kind ?? 'creator',
        status: 'active',
        created_at: timestamp(given.at),
      },
    }),
  },
  'change_report.written': {
    takes: ofSettledRun,
    build: (given) => changeReport({ ...given, tracker: trackerId(given) }),
  },
  'creator_videos.saved': { takes: ofVideos, build: (given) => ({ ...creator(given), videos: videos(given) }) },
};

export const emittableTypes = Object.keys(types);

/**
 * Builds a message. Its new ids follow from that of its Run, so that the same Run makes the same event.
 *
 * @param at epoch milliseconds; the Run began 30 seconds earlier
 */
export function exampleMessage(
  type: string,
  choices: MessageChoices,
  at: number,
  random: (size: number) => Uint8Array,
): { readonly type: string; readonly customer_id: string } {
  const { build } = typeOf(type);
  const run = choices.run ?? makeId('run', at, random(10));
  return { type, customer_id: choices.customer, ...build({ ...choices, run, at, random }) };
}

function typeOf(name: string): MessageType {
  const type = types[name];
  if (type === undefined) throw new Error(`Cannot build a message of the unknown type ${name}`);
  return type;
}

/** Says which choices a message of this type does not have. */
export function faultsOfChoices(type: string, choices: MessageChoices): readonly string[] {
  const { takes } = typeOf(type);
  const others = [...ofSettledRun, ...ofVideos].filter((name) => choices[name] !== undefined && !takes.includes(name));
  return others.map((name) => `${type} has no --${name}: it takes ${takes.map((each) => `--${each}`).join(', ')}`);
}

const runDuration = 30_000;

function runHead(given: Given) {
  const { kind, tracker, at } = given;
  return {
    id: given.run,
    kind: kind ?? (tracker === undefined ? 'creator_videos' : 'tracker_cycle'),
    ...(tracker === undefined ? {} : { tracker_id: tracker }),
    created_at: timestamp(at - runDuration),
  };
}

function settledRun(given: Given) {
  const status = given.status ?? 'completed';
  return {
    ...runHead(given),
    status,
    charge_usd: given.charge ?? (status === 'failed' ? 0 : 0.25),
    settled_at: timestamp(given.at),
    ...(status === 'failed' ? { error: storedProblem('vendor_error') } : {}),
    ...(status === 'partial' ? { problems: [storedProblem('media_unavailable')] } : {}),
  };
}

function changeReport(given: Given) {
  const run = settledRun(given);
  return {
    tracker_id: given.tracker,
    run,
    change_report: {
      id: idBeside(given, 'changeReport'),
      run_id: run.id,
      created_at: timestamp(given.at),
    },
  };
}

function creator({ platform, handle }: Given) {
  return { platform: platform ?? 'tiktok', handle: handle ?? 'example.creator' };
}

function trackerId(given: Given): string {
  return given.tracker ?? idBeside(given, 'tracker');
}

function idBeside({ run }: Given, kind: 'tracker' | 'changeReport'): string {
  return idPrefixes[kind] + run.slice(idPrefixes.run.length);
}

function storedProblem(code: 'vendor_error' | 'media_unavailable') {
  const { title, status } = problemCodes[code];
  return { type: `https://example.com/errors/${code}`, title, status, code };
}

const hour = 60 * 60_000;
const subjects = [
  { text: 'Three knots every sailor forgets', hashtags: ['sailing', 'knots'], seconds: 42 },
  { text: 'Sourdough without a starter? We tried', hashtags: ['baking', 'sourdough'], seconds: 67 },
  { text: 'How a canal lock works, in one take', hashtags: ['engineering'], seconds: 58 },
  { text: 'Answering your questions from last week', hashtags: [], seconds: 91 },
] as const;

const addresses: Readonly<Record<string, (handle: string, id: string) => string>> = {
  tiktok: (handle, id) => `https://www.tiktok.com/@${handle}/video/${id}`,
  instagram: (_handle, id) => `https://www.instagram.com/reel/${id}/`,
  youtube: (_handle, id) => `https://www.youtube.com/shorts/${id}`,
};

/**
 * Example videos of one creator, newest first. The first video and every fourth after it have no scores, like real
 * videos that are too new or have too few others to compare with.
 */
function videos(given: Given): readonly VideoItem[] {
  const { count = 3, at, random } = given;
  const first = Buffer.from(random(6)).readUIntBE(0, 6);
  return Array.from({ length: count }, (_, index) => exampleVideo(creator(given), first + index, index, at));
}

function exampleVideo({ platform, handle }: Creator, number: number, index: number, at: number): VideoItem {
  const subject = subjects[index % subjects.length] ?? subjects[0];
  const id = `74${String(number).padStart(17, '0')}`;
  const account = canonicalHandle(handle);
  const views = 18_400 + ((index * 7_919) % 90_000);
  return {
    platform,
    id,
    url: addresses[platform]?.(account, id) ?? `https://example.com/${platform}/${id}`,
    description: subject.text,
    posted_at: timestamp(at - 5 * hour - index * 31 * hour),
    duration_seconds: subject.seconds,
    thumbnail_url: `https://cdn.example.com/${platform}/${id}.jpg`,
    hashtags: [...subject.hashtags],
    sound: { id: `snd_${1000 + (index % 5)}`, title: `original sound - ${account}` },
    creator: { id: `cre_${platform}_1`, handle: account, name: 'Example Creator', follower_count: 48_210 },
    snapshot: {
      at: timestamp(at),
      views,
      likes: Math.round(views / 11),
      comments: Math.round(views / 240),
      shares: Math.round(views / 130),
      saves: Math.round(views / 95),
    },
    scores: index % 4 === 0 ? null : exampleScores(views, at),
  };
}

function exampleScores(views: number, at: number): NonNullable<VideoItem['scores']> {
  const median = 24_500;
  const p90 = 96_000;
  return {
    outlier: Number((views / median).toFixed(2)),
    outlier_p90: Number((views / p90).toFixed(2)),
    percentile: Math.min(99, Math.round((views / p90) * 90)),
    velocity: { views_per_hour: Number((views / 36).toFixed(1)), window: '36h' },
    reason: null,
    baseline: {
      median_views: median,
      p90_views: p90,
      engagement_rate: 0.094,
      posts_per_week: 5.4,
      sample: 38,
      confidence: 'high',
      source: 'creator',
      computed_at: timestamp(at - hour),
      stale: false,
    },
  };
}
