import { ids, times } from './story.ts';

export const bulkReplay = {
  id: ids.bulkReplay,
  webhook_id: ids.webhook,
  status: 'running',
  deliveries: {
    status: 'failed',
    created_after: '2026-11-20T06:00:00.000Z',
    created_before: times.bulkReplayed,
    source_webhook_id: null,
    event_type: null,
    response: null,
    delivery_ids: null,
  },
  rate: 10,
  requested_by: 'customer',
  replayed: 0,
  skipped: 0,
  outcomes: { delivered: 0, failed: 0, pending: 0 },
  cancel_reason: null,
  created_at: times.bulkReplayed,
  ended_at: null,
};

export const endedBulkReplay = {
  ...bulkReplay,
  status: 'completed',
  replayed: 500,
  skipped: 3,
  outcomes: { delivered: 488, failed: 12, pending: 0 },
  ended_at: times.bulkReplayEnded,
};

export const cancelledBulkReplay = {
  ...bulkReplay,
  status: 'cancelled',
  replayed: 200,
  skipped: 3,
  outcomes: { delivered: 196, failed: 0, pending: 4 },
  cancel_reason: 'requested',
  ended_at: '2026-11-20T09:55:21.088Z',
};

export const bulkReplayRequest = { status: 'failed', created_after: bulkReplay.deliveries.created_after };
