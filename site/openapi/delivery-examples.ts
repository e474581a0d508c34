import { failureAdvice } from '#shared/contract/records/failure-advice.ts';
import { ids, times } from './story.ts';

export const testDelivery = {
  id: ids.testDelivery,
  event_id: ids.testEvent,
  event_type: 'webhook.test',
  example_type: null,
  status: 'delivered',
  attempts: 1,
  outcome: 'acknowledged',
  response_status: 200,
  error: null,
  run_id: null,
  tracker_id: null,
  change_report_id: null,
  replay_of: null,
  source_webhook_id: null,
  created_at: times.registered,
  last_attempt_at: times.tested,
  delivered_at: times.acknowledgedTest,
  failed_at: null,
  next_attempt_at: null,
};

export const delivery = {
  ...testDelivery,
  id: ids.delivery,
  event_id: ids.event,
  event_type: 'run.completed',
  attempts: 2,
  run_id: ids.run,
  created_at: times.eventCreated,
  last_attempt_at: times.secondAttempt,
  delivered_at: times.delivered,
};

export const pendingReplay = {
  ...delivery,
  id: ids.replay,
  status: 'pending',
  attempts: 0,
  outcome: null,
  response_status: null,
  replay_of: ids.delivery,
  source_webhook_id: null,
  created_at: times.replayed,
  last_attempt_at: null,
  delivered_at: null,
};

export const pendingExample = {
  ...pendingReplay,
  id: ids.exampleDelivery,
  event_id: ids.exampleEvent,
  event_type: 'webhook.test',
  example_type: 'run.completed',
  run_id: null,
  replay_of: null,
  source_webhook_id: null,
  created_at: times.exampleSent,
};

const refusal = {
  outcome: 'rejected',
  responseStatus: 503,
  error: 'The receiver responded with status 503',
};

export const attemptLog = [
  {
    planned_at: times.eventCreated,
    at: times.firstAttempt,
    duration_ms: 212,
    outcome: refusal.outcome,
    response_status: refusal.responseStatus,
    error: `${refusal.error}. ${failureAdvice(refusal, false)}`,
    repeated: false,
    timings: { dns_ms: 12, connect_ms: 31, tls_ms: 58, first_byte_ms: 108 },
  },
  {
    planned_at: times.secondPlanned,
    at: times.secondAttempt,
    duration_ms: 183,
    outcome: 'acknowledged',
    response_status: 200,
    error: null,
    repeated: false,
    timings: { dns_ms: 14, connect_ms: 30, tls_ms: 60, first_byte_ms: 77 },
  },
];

/** By the one who reads it, and before by a program. */
export const activity = [
  {
    id: ids.activityOfReplay,
    action: 'delivery_replayed',
    credential_id: ids.credential,
    delivery_id: ids.replay,
    created_at: times.replayed,
  },
  {
    id: ids.activityOfRegistration,
    action: 'registered',
    credential_id: ids.apiKey,
    delivery_id: ids.testDelivery,
    created_at: times.registered,
  },
].map((each) => ({ ...each, requested_by: 'customer', replay_id: null }));
