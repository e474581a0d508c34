import type { OpenRun, SettledRun, VideoItem } from '#shared/contract/records/given-results.ts';
import type { StoredChangeReport, StoredTracker } from '#shared/contract/records/stored-results.ts';
import { startOfTest } from './builders.ts';

/** Stored results as the intake parses them; each test names the members that matter to it. */
export const isoTime = (offset = 0): string => new Date(startOfTest + offset).toISOString();

export function buildOpenRun(given: Partial<OpenRun> = {}): OpenRun {
  return {
    id: 'run_1',
    kind: 'creator_videos',
    status: 'running',
    tracker_id: null,
    charge_usd: null,
    created_at: isoTime(),
    ...given,
  };
}

export function buildSettledRun(given: Partial<SettledRun> = {}): SettledRun {
  return {
    id: 'run_1',
    kind: 'creator_videos',
    status: 'completed',
    tracker_id: null,
    charge_usd: 0.25,
    created_at: isoTime(),
    settled_at: isoTime(9000),
    error: null,
    problems: null,
    ...given,
  };
}

export const someScores: NonNullable<VideoItem['scores']> = {
  outlier: 2.41,
  outlier_p90: 0.87,
  percentile: 91,
  velocity: { views_per_hour: 512.5, window: '24h' },
  reason: null,
  baseline: {
    median_views: 21_000,
    p90_views: 74_000,
    engagement_rate: 0.081,
    posts_per_week: 4.5,
    sample: 40,
    confidence: 'high',
    source: 'creator',
    computed_at: isoTime(),
    stale: false,
  },
};

export function buildVideo(given: Partial<VideoItem> = {}): VideoItem {
  return {
    platform: 'tiktok',
    id: 'v1',
    url: 'https://www.tiktok.com/@maker/video/v1',
    description: 'Two ways to tie a bow',
    posted_at: isoTime(),
    duration_seconds: 31,
    thumbnail_url: 'https://cdn.example.com/v1.jpg',
    hashtags: ['bows'],
    sound: { id: 'snd_1', title: 'Original sound' },
    creator: { id: 'cre_1', handle: 'maker', name: 'Maker', follower_count: 10 },
    snapshot: { at: isoTime(), views: 1, likes: 2, comments: 3, shares: 4, saves: 5 },
    scores: null,
    ...given,
  };
}

export function buildTracker(given: Partial<StoredTracker> = {}): StoredTracker {
  return { id: 'trk_1', kind: 'creator', status: 'active', created_at: isoTime(), ...given };
}

export function buildReport(given: Partial<StoredChangeReport> = {}): StoredChangeReport {
  return { id: 'chg_1', run_id: 'run_1', created_at: isoTime(), ...given };
}
