import type { Attempt, DeliveryDetail, EndpointDelivery } from '../../../console/api/records.ts';

const start = Date.parse('2026-11-22T09:00:00.000Z');

/** @param milliseconds since the delivery was created */
export const at = (milliseconds: number): string => new Date(start + milliseconds).toISOString();

export function attemptOf(changes: Partial<Attempt> = {}): Attempt {
  return {
    planned_at: at(0),
    at: at(0),
    duration_ms: 40,
    outcome: 'rejected',
    response_status: 500,
    error: 'The receiver responded with status 500',
    repeated: false,
    timings: { dns_ms: 2, connect_ms: 3, tls_ms: 5, first_byte_ms: 30 },
    ...changes,
  };
}

export function deliveryOf(changes: Partial<DeliveryDetail> = {}): DeliveryDetail {
  const log = changes.attempt_log ?? [];
  return {
    id: 'whd_1',
    event_id: 'evt_1',
    event_type: 'run.completed',
    example_type: null,
    status: 'pending',
    attempts: log.length,
    outcome: log.at(-1)?.outcome ?? null,
    response_status: null,
    error: null,
    run_id: 'run_1',
    tracker_id: null,
    change_report_id: null,
    replay_of: null,
    source_webhook_id: null,
    created_at: at(0),
    last_attempt_at: null,
    delivered_at: null,
    failed_at: null,
    next_attempt_at: null,
    body: '{}',
    request_headers: [],
    attempt_log: [],
    ...changes,
  };
}

/** A delivery of a list. @param index the newest has the largest */
export function listedOf(index: number): EndpointDelivery {
  const { body: _body, request_headers: _headers, attempt_log: _log, ...delivery } = deliveryOf();
  return { ...delivery, id: `whd_${index}`, created_at: at(index), webhook_id: 'whe_1' };
}
