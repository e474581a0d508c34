import { presentHeaders } from '#shared/contract/records/delivery.ts';
import { nextStep } from '#shared/contract/records/registration.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import { presentChangeReport, presentTracker } from '#shared/contract/records/tracker.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { secretPrefix } from '#shared/domain/signing-secret.ts';
import { statsWindow, windowBuckets } from '#shared/domain/stats-window.ts';
import { bulkReplay, bulkReplayRequest, cancelledBulkReplay, endedBulkReplay } from './bulk-replay-examples.ts';
import { activity, attemptLog, delivery, pendingExample, pendingReplay, testDelivery } from './delivery-examples.ts';
import { problemText } from './problems.ts';
import { bodies } from './schemas/event-schemas.ts';
import { addresses, ids, secrets, times } from './story.ts';

/** The endpoint as its registration returned it. */
const registered = {
  id: ids.webhook,
  url: 'https://hooks.example.com/runs',
  status: 'active',
  description: 'Production',
  secret_prefix: secretPrefix(secrets.first),
  previous_secret_expires_at: null,
  created_at: times.registered,
  activated_at: times.activated,
  last_delivery_at: times.tested,
  failing_since: null,
};
const webhook = { ...registered, last_delivery_at: times.secondAttempt };

const noDeliveries = { pending: 0, delivered: 0, failed: 0 };
const statsTime = statsWindow('1h', Date.parse(times.statsRead));

const webhookStats = {
  webhook_id: ids.webhook,
  window: {
    length: statsTime.name,
    created_after: new Date(statsTime.from).toISOString(),
    computed_at: times.statsRead,
    deliveries: 2,
    older_left_out: false,
    sampled: false,
  },
  deliveries: { pending: 0, delivered: 2, failed: 0 },
  replays: noDeliveries,
  delivered_share: 1,
  response_ms: { p50: 212, p95: 228 },
  failed_attempts: [{ outcome: 'rejected', response_status: 503, attempts: 1 }],
  bucket_seconds: statsTime.bucketLength / 1_000,
  buckets: Array.from({ length: windowBuckets }, (_, index) => ({
    created_after: new Date(statsTime.from + index * statsTime.bucketLength).toISOString(),
    pending: 0,
    delivered: index === 3 || index === 15 ? 1 : 0,
    failed: 0,
    replays: noDeliveries,
  })),
};

const storedRun = {
  id: ids.run,
  kind: 'creator_videos',
  status: 'completed',
  charge_usd: 0.25,
  created_at: times.runCreated,
  settled_at: times.runSettled,
};
const run = presentRun(storedRun, addresses);

const partialRun = presentRun(
  {
    ...storedRun,
    id: ids.partialRun,
    status: 'partial',
    charge_usd: 0.2,
    created_at: '2026-11-20T09:04:21.000Z',
    settled_at: '2026-11-20T09:05:03.412Z',
    problems: [problemText('media_unavailable', addresses.docsUrl).example],
  },
  addresses,
);

const trackerRun = presentRun(
  {
    ...storedRun,
    id: ids.trackerRun,
    kind: 'tracker_cycle',
    tracker_id: ids.tracker,
    charge_usd: 0.1,
    created_at: '2026-11-20T10:29:30.000Z',
    settled_at: '2026-11-20T10:29:59.904Z',
  },
  addresses,
);

const tracker = presentTracker(
  { id: ids.tracker, kind: 'creator', status: 'active', created_at: '2026-11-19T08:00:00.000Z' },
  addresses.baseUrl,
);

const changeReport = presentChangeReport(
  {
    id: ids.changeReport,
    tracker_id: ids.tracker,
    run_id: ids.trackerRun,
    created_at: '2026-11-20T10:29:58.730Z',
  },
  ids.tracker,
  addresses.baseUrl,
);

export const video = {
  platform: 'tiktok',
  id: ids.video,
  url: `https://www.tiktok.com/@example/video/${ids.video}`,
  description: 'How it is made',
  posted_at: '2026-11-18T17:20:00.000Z',
  duration_seconds: 34,
  thumbnail_url: `https://images.example.com/${ids.video}.jpg`,
  hashtags: ['howitsmade'],
  sound: { id: '7298765432109876543', title: 'original sound' },
  creator: { id: ids.creator, handle: 'example', name: 'Example', follower_count: 120400 },
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

const pageOf = (...items: readonly unknown[]) => ({ items, next_cursor: null });

const videos = {
  items: [video],
  next_cursor: 'AQ8fX2kLm0vT5sRw1pQz7uYb3nHc6dJg9aVe4iKoBxCtZlSyWnMq_OhUrPfEjDk2GvA0T5N8LsI-7w',
};

/** The body of a request of each operation that has one. */
export const requestExamples: Partial<Readonly<Record<OperationName, unknown>>> = {
  registerWebhook: { url: registered.url, description: registered.description },
  createBulkReplay: bulkReplayRequest,
  planBulkReplay: bulkReplayRequest,
  sendExample: { type: 'run.completed' },
};

/** The body of a successful response of each operation that has one. */
export const responseExamples = {
  registerWebhook: {
    webhook: registered,
    secret: secrets.first,
    test_delivery: testDelivery,
    next_step: nextStep({ id: ids.webhook, status: 'active' }),
  },
  listWebhooks: pageOf(webhook),
  getWebhook: webhook,
  getWebhookStats: webhookStats,
  rotateSecret: {
    webhook: {
      ...webhook,
      secret_prefix: secretPrefix(secrets.second),
      previous_secret_expires_at: times.overlapEnds,
    },
    secret: secrets.second,
    overlap_expires_at: times.overlapEnds,
  },
  listDeliveries: pageOf(delivery, testDelivery),
  listAllDeliveries: pageOf(...[delivery, testDelivery].map((each) => ({ ...each, webhook_id: ids.webhook }))),
  getDelivery: {
    ...delivery,
    body: bodies['run.completed'],
    request_headers: presentHeaders(
      { serviceName: 'Service', standardWebhooks: true },
      { event: { id: ids.event, type: 'run.completed' } },
    ),
    attempt_log: attemptLog,
  },
  replayDelivery: { delivery: pendingReplay },
  sendExample: { delivery: pendingExample },
  createBulkReplay: bulkReplay,
  planBulkReplay: {
    deliveries: 500,
    already_replayed: 3,
    oldest_created_at: '2026-11-20T06:02:11.480Z',
    newest_created_at: '2026-11-20T08:47:30.214Z',
    seconds: 50,
    complete: true,
  },
  listActivity: pageOf(...activity),
  listBulkReplays: pageOf(endedBulkReplay),
  getBulkReplay: endedBulkReplay,
  cancelBulkReplay: cancelledBulkReplay,
  listRuns: pageOf(trackerRun, run, partialRun),
  getRun: run,
  listRunItems: videos,
  getTracker: tracker,
  listChangeReports: pageOf(changeReport),
  listCreatorVideos: videos,
  getCredential: {
    id: ids.credential,
    kind: 'portal_link',
    customer_id: ids.customer,
    customer_name: 'Acme Video',
    expires_at: times.linkEnds,
    read_only: false,
  },
  getAddresses: { addresses: ['198.51.100.7', '198.51.100.23'] },
} as const satisfies Partial<Record<OperationName, unknown>>;
