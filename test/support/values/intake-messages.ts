import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { customerId } from './builders.ts';
import { buildVideo } from './stored-results.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

const video = buildVideo();
const settledRun = {
  id: 'run_1',
  kind: 'search',
  status: 'completed',
  charge_usd: 0.02,
  created_at: createdAt,
  settled_at: '2026-01-01T00:00:09.000Z',
} as const;

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
    run: settledRun,
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
    run: { ...settledRun, id: 'run_2', kind: 'tracker_cycle' },
  },
  'creator_videos.saved': {
    type: 'creator_videos.saved',
    customer_id: customerId,
    platform: 'tiktok',
    handle: 'maker',
    videos: [video],
  },
} as const;

const { 'run.settled': settled, 'change_report.written': written } = intakeExamples;

/** A Run is settled. */
export const settledMessage = (run: string, customer_id = customerId) =>
  intakeMessage.parse({ ...settled, customer_id, run: { ...settled.run, id: run } });

/** A Run is settled that wrote a Change Report. */
export const reportMessage = (run: string, report: string) =>
  intakeMessage.parse({
    ...written,
    change_report: { ...written.change_report, id: report, run_id: run },
    run: { ...written.run, id: run },
  });
