/** One example of each record, as the API answers it. */
const webhook = {
  id: 'whe_01KB3M0V8Q6YQ2S7ZP4N1D5T9C',
  url: 'https://hooks.example.com/runs',
  status: 'active',
  description: 'Production',
  secret_prefix: 'whsec_3k9Tqv',
  previous_secret_expires_at: null,
  created_at: '2026-11-20T09:00:00.000Z',
  activated_at: '2026-11-20T09:00:00.412Z',
  last_delivery_at: '2026-11-20T09:30:00.118Z',
};

const delivery = {
  id: 'whd_01KB3NQ2M70D8V5K3T6W9X1Y4Z',
  event_id: 'evt_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  event_type: 'run.completed',
  status: 'delivered',
  attempts: 1,
  response_status: 200,
  error: null,
  run_id: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R',
  tracker_id: null,
  change_report_id: null,
  replay_of: null,
  created_at: '2026-11-20T09:30:00.007Z',
  last_attempt_at: '2026-11-20T09:30:00.118Z',
  delivered_at: '2026-11-20T09:30:00.301Z',
  failed_at: null,
};

const pendingReplay = {
  ...delivery,
  id: 'whd_01KB3P4W9R0A1B2C3D4E5F6G7H',
  status: 'pending',
  attempts: 0,
  response_status: null,
  replay_of: delivery.id,
  created_at: '2026-11-20T09:37:40.600Z',
  last_attempt_at: null,
  delivered_at: null,
};

const testDelivery = { ...delivery, event_type: 'webhook.test', run_id: null };

const attempt = {
  at: '2026-11-20T09:30:00.118Z',
  duration_ms: 183,
  outcome: 'acknowledged',
  response_status: 200,
  error: null,
  timings: { dns_ms: 12, connect_ms: 31, tls_ms: 58, first_byte_ms: 79 },
};

/** Not a secret: the form of one. */
const secret = 'whsec_<shown once>';

export const examples = {
  registration: { webhook, secret, test_delivery: testDelivery },
  webhook,
  webhooks: { items: [webhook], next_cursor: null },
  rotation: {
    webhook: { ...webhook, previous_secret_expires_at: '2026-11-21T10:00:00.000Z' },
    secret,
    overlap_expires_at: '2026-11-21T10:00:00.000Z',
  },
  deliveries: { items: [delivery], next_cursor: 'Aa1_opaque' },
  delivery: { ...delivery, attempt_log: [attempt] },
  replay: { delivery: pendingReplay },
} as const;
