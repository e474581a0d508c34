import { statusOfCode } from '../checks/problem-table.ts';
import type { Context } from '../harness/session.ts';

/** A new random identifier. */
export function newId(ctx: Context, prefix: 'run_' | 'trk_' | 'chg_' | 'cre_'): string {
  return prefix + ctx.randomText(26);
}

/** The timestamp of `agoSeconds` before now. */
export function timeAgo(ctx: Context, agoSeconds: number): string {
  return new Date(ctx.now() - agoSeconds * 1_000).toISOString();
}

export function openRun(ctx: Context, status: 'queued' | 'running') {
  return { id: newId(ctx, 'run_'), kind: 'creator_videos', status, created_at: timeAgo(ctx, 30) };
}

type Members = { readonly tracker_id?: string; readonly error?: object; readonly problems?: readonly object[] };

export function settledRun(ctx: Context, status: 'completed' | 'partial' | 'failed', members: Members = {}) {
  return {
    id: newId(ctx, 'run_'),
    kind: members.tracker_id === undefined ? 'creator_videos' : 'tracker_cycle',
    status,
    charge_usd: status === 'failed' ? 0 : 0.25,
    created_at: timeAgo(ctx, 30),
    settled_at: timeAgo(ctx, 0),
    ...members,
  };
}

/** A problem as the engine stores it on a Run. */
export function storedProblem(code: string, members: object = {}): object {
  const type = `https://example.com/errors/${code}`;
  return { type, title: `Title of ${code}`, status: statusOfCode[code], code, ...members };
}

const scores = {
  outlier: 2.5,
  outlier_p90: 1.25,
  percentile: 97,
  velocity: { views_per_hour: 120.5, window: '24h' },
  reason: null,
  baseline: {
    median_views: 1000,
    p90_views: 5000.5,
    engagement_rate: 0.05,
    posts_per_week: 3.5,
    sample: 30,
    confidence: 'high',
    source: 'stored',
    computed_at: '2026-01-02T03:04:05.678Z',
    stale: false,
  },
} as const;

/** The n-th video of a creator, the first one newest; every second one has no scores. */
export function video(ctx: Context, handle: string, n: number): object {
  return {
    platform: 'tiktok',
    id: `${ctx.tag}${handle}${n}`,
    url: `https://video.example.com/${n}`,
    description: `Video ${n} "quoted" – ünïcode 🎬`,
    posted_at: new Date(Date.UTC(2026, 0, 1) - n * 60_000).toISOString(),
    duration_seconds: 15 + n,
    thumbnail_url: `https://video.example.com/${n}.jpg`,
    hashtags: n % 3 === 0 ? [] : ['fyp', `tag${n}`],
    sound: { id: `sound${n}`, title: `Sound ${n}` },
    creator: { id: `cre_${ctx.tag}`, handle, name: 'A creator', follower_count: 12_345 },
    snapshot: {
      at: '2026-01-02T00:00:00.000Z',
      views: 100 + n,
      likes: 10,
      comments: 2,
      shares: 1,
      saves: 0,
    },
    scores: n % 2 === 0 ? null : scores,
  };
}

export function videos(ctx: Context, handle: string, count: number): readonly object[] {
  return Array.from({ length: count }, (_, n) => video(ctx, handle, n));
}
