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
const counts = { replayed: 7, skipped: 5, step: 3 };
const job = { ...buildBulkReplay({}, startOfTest, new Uint8Array(10)), ...counts };
const ofOperator = { ...job, requestedBy: { by: 'operator', note: 'ann: receiver was down' } } as const;
const timings = { dnsMs: 4, connectMs: 3, tlsMs: 2, firstByteMs: 1 };
const request = { requestId: 'request-1', operation: 'getWebhook', customerId, path: {} } as const;
const entry = { at: startOfTest, ...acknowledged };

type Unnamed<Event> = Event extends unknown ? Omit<Event, 'name'> : never;

/** Of every name, events that together have every fact that a line can have. */
export const everyEvent: {
  readonly [N in Name]: readonly Unnamed<TelemetryEvent & { readonly name: N }>[];
} = {
  'delivery.attempted': [
    { delivery, attempt, entry, transition: { status: 'delivered', endedAt: startOfTest } },
    { delivery, attempt, entry: buildLogEntry({ isRepeated: true, durationMs: 50, timings }), transition: waits },
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
  'replay.stepped': [
    { job, replayed: 2, skipped: 1 },
    { job: ofOperator, replayed: 2, skipped: 1 },
  ],
  'replay.ended': [{ job: { ...job, status: 'cancelled', cancelReason: 'requested' } }, { job: ofOperator }],
  'sweep.done': [{ requeued: 1, oldestOverdue: 2 }],
  'intake.done': [
    {
      results: ['accepted', 'repeated', 'unknown_customer', 'retried'],
      events: [{ customerId, event, deliveries: 1, isRepeated: true }],
    },
  ],
  'audit.done': [
    {
      deliveries: { pending: 6, delivered: 4, failed: 5 },
      pending: { in_flight: 7, waiting: 1, overdue: 3, queued: 8, stranded: 2 },
      requeued: 9,
      stalledReplays: 10,
      oldestStranded: 28_800,
      complete: false,
      unfinished: [customerId],
    },
  ],
  'message.refused': [{ messageId: 'm0', reason: 'no JSON', metric: 'intakeRefused' }],
  'messages.returned': [{ returned: 1, queue: 'intake', oldest: 2 }],
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

/** When a line is written, and by which functions. */
export const meanings: Readonly<Record<Name, readonly [by: string, when: string]>> = {
  'deliveries.acknowledged': [
    'deliver, deliver-slow',
    'A batch is finished; `endpoints` has each attempt that was acknowledged',
  ],
  'delivery.attempted': [
    'deliver, deliver-slow, register-webhook',
    'An attempt failed and is recorded, or a handshake',
  ],
  'delivery.interrupted': ['deliver, deliver-slow', 'The worker of an attempt died; the attempt counts as failed'],
  'delivery.cancelled': ['deliver, deliver-slow', 'A delivery ended because its endpoint was deleted'],
  'delivery.superseded': [
    'deliver, deliver-slow, register-webhook',
    'Another worker recorded the attempt first; this outcome does not count',
  ],
  'attempt.released': ['deliver, deliver-slow', 'Nothing was sent; the attempt is made again later'],
  'endpoint.slow': ['deliver', 'An endpoint entered the lane for slow endpoints'],
  'endpoint.quick_again': ['deliver-slow', 'An endpoint left it'],
  'attempts.put_off': [
    'deliver-slow',
    'Attempts at an endpoint in this lane come back later, because it answers a few at once',
  ],
  'endpoint.failing': [
    'deliver, deliver-slow',
    'A delivery failed, the first one since the endpoint last acknowledged an event',
  ],
  'endpoint.recovered': ['deliver, deliver-slow', 'A failing endpoint acknowledged an event'],
  'replay.started': ['API', 'A customer started a bulk replay, with the credential `credential_id`'],
  'replay.stepped': [
    'replay',
    'A step of a bulk replay, with its own counts and those of the job; `note` says which operator started it, and why',
  ],
  'replay.ended': ['replay', 'A bulk replay was completed, or cancelled by anybody, with its counts'],
  'intake.done': ['intake', 'A batch is finished; `customers` has each accepted or repeated event'],
  unknown_customer: ['intake', 'A message names a customer that does not exist; it is a dead letter'],
  'message.refused': [
    'intake, deliver, deliver-slow, replay',
    'A message is malformed; it is a dead letter. Only the intake counts it',
  ],
  'messages.returned': [
    'intake, deliver, deliver-slow, replay',
    'Messages could not be processed and return to their queue; `returned` is their number',
  ],
  'request.done': ['API', 'A request was answered; `code` is that of the problem'],
  'request.failed': ['API', 'A request was answered with 5xx'],
  'sweep.done': ['sweep', 'Deliveries whose timer was lost were queued'],
  'delivery.stranded': ['audit', 'Nothing would have continued the delivery; the sweep queues it'],
  'replay.stalled': ['audit', 'Nothing continues a running bulk replay: continue or cancel it'],
  'audit.done': ['audit', 'The hourly audit is finished'],
  'operator.done': [
    'create-customer, create-api-key, revoke-api-key',
    'A program of the operator created a customer, or created or revoked an API key',
  ],
  'portal_link.created': ['create-portal-link', 'A backend of the operator got a portal link'],
  'row.unreadable': ['all', 'A row that this release cannot read was left out of a list'],
  'step.failed': ['all', 'The service itself failed; the ids are those of what the step was for'],
};
