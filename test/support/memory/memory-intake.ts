import type {
  GivenTracker,
  OpenRun,
  SettledRun,
  VideoItem,
} from '#shared/contract/messages/intake-message.ts';
import type { FanOut, StoreChangeReport } from '#shared/operations/intake/fan-out.ts';
import { customerId } from '../values/builders.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

const video = {
  platform: 'tiktok',
  id: 'video-1',
  url: 'https://video.example.com/1',
  description: 'A video',
  posted_at: createdAt,
  duration_seconds: 30,
  thumbnail_url: 'https://video.example.com/1.jpg',
  hashtags: ['one'],
  sound: { id: 'sound-1', title: 'A sound' },
  creator: { id: 'cre_1', handle: 'maker', name: 'Maker', follower_count: 10 },
  snapshot: { at: createdAt, views: 1, likes: 2, comments: 3, shares: 4, saves: 5 },
  scores: null,
};

/** One message of each type, as a Run engine writes them. */
export const intakeExamples = {
  'run.saved': {
    type: 'run.saved',
    customer_id: customerId,
    run: { id: 'run_1', kind: 'search', status: 'running', created_at: createdAt },
  },
  'run.items_saved': { type: 'run.items_saved', customer_id: customerId, run_id: 'run_1', items: [video] },
  'run.settled': {
    type: 'run.settled',
    customer_id: customerId,
    run: {
      id: 'run_1',
      kind: 'search',
      status: 'completed',
      charge_usd: 0.02,
      created_at: createdAt,
      settled_at: '2026-01-01T00:00:09.000Z',
    },
  },
  'tracker.saved': {
    type: 'tracker.saved',
    customer_id: customerId,
    tracker: { id: 'trk_1', kind: 'creator', status: 'active', created_at: createdAt },
  },
  'change_report.written': {
    type: 'change_report.written',
    customer_id: customerId,
    tracker_id: 'trk_1',
    change_report: { id: 'chg_1', run_id: 'run_2', created_at: createdAt },
    run: {
      id: 'run_2',
      kind: 'tracker_cycle',
      status: 'completed',
      charge_usd: 0.1,
      created_at: createdAt,
      settled_at: '2026-01-01T00:00:09.000Z',
    },
  },
  'creator_videos.saved': {
    type: 'creator_videos.saved',
    customer_id: customerId,
    platform: 'tiktok',
    handle: 'maker',
    videos: [video],
  },
} as const;

/** What the intake stores, in memory, with the conditions under which the table would write. */
export function memoryIntake() {
  const openRuns = new Map<string, OpenRun>();
  const settledRuns = new Map<string, SettledRun>();
  const fanOuts = new Map<string, FanOut>();
  const reports = new Map<string, Awaited<ReturnType<StoreChangeReport>>>();
  const trackers = new Map<string, GivenTracker>();
  const videos: { readonly of: string; readonly videos: readonly VideoItem[] }[] = [];
  const keep = <T>(map: Map<string, T>, key: string, value: T): T => {
    const kept = map.get(key) ?? value;
    map.set(key, kept);
    return kept;
  };
  return {
    openRuns,
    settledRuns,
    fanOuts,
    trackers,
    videos,
    storeOpenRun: async (customer: string, run: OpenRun) => void openRuns.set(`${customer} ${run.id}`, run),
    storeSettledRun: async (customer: string, run: SettledRun) =>
      keep(settledRuns, `${customer} ${run.id}`, run),
    storeSettledRunWithFanOut: async (customer: string, run: SettledRun, fanOut: FanOut) => ({
      run: keep(settledRuns, `${customer} ${run.id}`, run),
      fanOut: keep(fanOuts, `${customer} ${run.id}`, fanOut),
    }),
    storeRunItems: async (customer: string, runId: string, items: readonly VideoItem[]) =>
      void videos.push({ of: `${customer} ${runId}`, videos: items }),
    storeTracker: async (customer: string, tracker: GivenTracker) =>
      void trackers.set(`${customer} ${tracker.id}`, tracker),
    reports,
    storeChangeReport: (async (customer, { trackerId, report, run }, fanOut) =>
      keep(reports, `${customer} ${report.id}`, { trackerId, run, fanOut })) satisfies StoreChangeReport,
    storeCreatorVideos: async (
      customer: string,
      creator: { readonly platform: string; readonly handle: string },
      items: readonly VideoItem[],
    ) => void videos.push({ of: `${customer} ${creator.platform} ${creator.handle}`, videos: items }),
  };
}
