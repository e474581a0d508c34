import { timestamp } from '#shared/contract/timestamp.ts';
import { endpointGroups } from '#shared/domain/endpoint-group.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import {
  acknowledged,
  buildBulkReplay,
  buildDelivery,
  buildLogEntry,
  customerId,
  startOfTest,
  webhookId,
} from '../values/builders.ts';

type Name = TelemetryEvent['name'];

const event = {
  id: makeId('event', startOfTest, new Uint8Array(10)),
  type: 'run.completed',
  runId: 'run_1',
  trackerId: null,
  changeReportId: null,
  exampleType: null,
};
const delivery = buildDelivery({ event });
const subject = { customerId, webhookId, runId: 'run_1' };
const endpoint = { customerId, id: webhookId };
const attempt = 1;
const cause = new Error('throttled');
const waits = { status: 'pending', retryAt: startOfTest } as const;
const failed = { status: 'failed', endedAt: startOfTest } as const;
const job = buildBulkReplay({}, startOfTest, new Uint8Array(10));
const request = { requestId: 'request-1', operation: 'getWebhook', customerId, path: {} } as const;
const entry = { at: startOfTest, ...acknowledged };

type Unnamed<Event> = Event extends unknown ? Omit<Event, 'name'> : never;

/** Of every name, events that together have every fact that a line can have. */
export const everyEvent: {
  readonly [N in Name]: readonly Unnamed<TelemetryEvent & { readonly name: N }>[];
} = {
  'delivery.attempted': [
    { delivery, attempt, entry, transition: { status: 'delivered', endedAt: startOfTest } },
    { delivery, attempt, entry: buildLogEntry(), transition: waits },
  ],
  'deliveries.acknowledged': [
    {
      attempts: endpointGroups.map((digit) => ({
        delivery: { ...delivery, webhookId: `${webhookId.slice(0, -1)}${digit}` },
        attempt,
        entry,
        transition: { status: 'delivered', endedAt: startOfTest },
      })),
    },
  ],
  'delivery.interrupted': [
    { delivery, attempt, transition: waits },
    { delivery, attempt, transition: failed },
  ],
  'delivery.cancelled': [{ delivery: keyOf(), reason: 'endpoint_deleted' }],
  'delivery.superseded': [{ delivery, attempt }],
  'delivery.stranded': [{ delivery: keyOf(), createdAt: startOfTest }],
  'replay.stalled': [{ key: job, lastStepAt: startOfTest }],
  'attempt.released': [{ delivery, attempt, reason: 'out_of_time' }],
  'endpoint.slow': [{ endpoint }],
  'endpoint.quick_again': [{ endpoint }],
  'attempts.put_off': [{ endpoint, attempts: 6 }],
  'endpoint.failing': [{ endpoint }],
  'endpoint.recovered': [{ endpoint }],
  'replay.started': [{ job }],
  'replay.stepped': [{ job, replayed: 1, skipped: 1 }],
  'replay.ended': [{ job: { ...job, status: 'cancelled', cancelReason: 'requested' } }],
  'sweep.done': [{ requeued: 1, oldestOverdue: 1 }],
  'intake.done': [
    {
      results: ['accepted', 'repeated', 'unknown_customer', 'retried'],
      events: [{ customerId, event, deliveries: 1, isRepeated: true }],
    },
  ],
  'audit.done': [
    {
      deliveries: { pending: 6, delivered: 4, failed: 5 },
      pending: { in_flight: 0, waiting: 1, overdue: 3, queued: 0, stranded: 2 },
      requeued: 0,
      stalledReplays: 1,
      oldestStranded: 28_800,
      complete: false,
      unfinished: [customerId],
    },
  ],
  'message.refused': [{ messageId: 'm0', reason: 'no JSON', metric: 'intakeRefused' }],
  'messages.returned': [{ returned: 1, queue: 'intake', oldest: 1 }],
  'request.done': [
    { ...request, status: 200 },
    { ...request, status: 404, code: 'not_found' },
  ],
  'request.failed': [{ ...request, status: 500, cause }],
  'operator.done': [
    { operation: 'createCustomer', customerId },
    { operation: 'createApiKey', customerId, credentialId: 'aky_1' },
  ],
  'portal_link.created': [{ customerId, credentialId: 'ptl_1', expiresAt: timestamp(startOfTest) }],
  unknown_customer: [{ type: 'run.settled', customerId, runId: 'run_1' }],
  'row.unreadable': [{ kind: 'Run', key: { pk: 'p', sk: 's' }, fault: 'none' }],
  'step.failed': [
    { step: 'schedule', delivery, cause },
    { step: 'lane', subject, cause },
    { step: 'health', subject, cause },
    { step: 'dead-letter', messageId: 'm0', cause },
  ],
};

function keyOf() {
  return { customerId, webhookId, id: delivery.id };
}
