/** One example of each record in a response. */
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
  next_attempt_at: null,
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

const baseUrl = 'https://api.example.com';
const trackerLinks = {
  tracker: `${baseUrl}/v1/trackers/trk_01KB2ZS8T5V7W9X1Y3Z5A7B9C1`,
  changes: `${baseUrl}/v1/trackers/trk_01KB2ZS8T5V7W9X1Y3Z5A7B9C1/changes`,
};

const run = {
  id: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R',
  kind: 'creator_videos',
  status: 'partial',
  tracker_id: null,
  charge_usd: 0.25,
  created_at: '2026-11-20T09:29:12.000Z',
  settled_at: '2026-11-20T09:29:59.870Z',
  error: null,
  problems: [
    {
      type: `${baseUrl}/docs/errors/media_unavailable`,
      title: 'Media is not available',
      status: 502,
      code: 'media_unavailable',
      detail: 'The video was deleted',
    },
  ],
  links: {
    run: `${baseUrl}/v1/runs/run_01KB3NPX5G7H9J1K3M5N7P9Q1R`,
    items: `${baseUrl}/v1/runs/run_01KB3NPX5G7H9J1K3M5N7P9Q1R/items`,
  },
};

const tracker = {
  id: 'trk_01KB2ZS8T5V7W9X1Y3Z5A7B9C1',
  kind: 'creator',
  status: 'active',
  created_at: '2026-11-19T08:00:00.000Z',
  links: trackerLinks,
};

const changeReport = {
  id: 'chg_01KB3NQ0J2K4M6N8P0Q2R4S6T8',
  tracker_id: tracker.id,
  run_id: run.id,
  created_at: '2026-11-20T09:30:00.000Z',
  links: { run: run.links.run, ...trackerLinks },
};

const video = {
  platform: 'tiktok',
  id: '7301234567890123456',
  url: 'https://www.tiktok.com/@example/video/7301234567890123456',
  description: 'How it is made',
  posted_at: '2026-11-18T17:20:00.000Z',
  duration_seconds: 34,
  thumbnail_url: 'https://images.example.com/7301234567890123456.jpg',
  hashtags: ['howitsmade'],
  sound: { id: '7298765432109876543', title: 'original sound' },
  creator: {
    id: 'cre_01KAZ5Y7X9W1V3T5S7R9Q1P3N5',
    handle: 'example',
    name: 'Example',
    follower_count: 120400,
  },
  snapshot: {
    at: '2026-11-20T09:29:40.000Z',
    views: 58200,
    likes: 4100,
    comments: 96,
    shares: 310,
    saves: 702,
  },
  scores: null,
};

/** A placeholder, not a real secret. */
const secret = 'whsec_<shown once>';

const nextStep =
  'Store `secret`, which is not shown again, and verify every event with it. To send the test event again, replay it ' +
  `with \`POST /v1/webhooks/${webhook.id}/deliveries/${testDelivery.id}/replay\``;

const eventBody = JSON.stringify({
  id: delivery.event_id,
  type: delivery.event_type,
  created_at: delivery.created_at,
  run_id: run.id,
  kind: run.kind,
  status: run.status,
  charge_usd: run.charge_usd,
  links: { run: run.links.run },
});

export const examples = {
  registration: { webhook, secret, test_delivery: testDelivery, next_step: nextStep },
  webhook,
  webhooks: { items: [webhook], next_cursor: null },
  rotation: {
    webhook: { ...webhook, previous_secret_expires_at: '2026-11-21T10:00:00.000Z' },
    secret,
    overlap_expires_at: '2026-11-21T10:00:00.000Z',
  },
  deliveries: { items: [delivery], next_cursor: 'Aa1_opaque' },
  delivery: { ...delivery, body: eventBody, attempt_log: [attempt] },
  replay: { delivery: pendingReplay },
  run,
  runs: { items: [run], next_cursor: null },
  tracker,
  changeReports: { items: [changeReport], next_cursor: null },
  videos: { items: [video], next_cursor: null },
} as const;
