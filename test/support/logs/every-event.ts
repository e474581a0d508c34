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
};
const delivery = buildDelivery({ event });
const subject = { customerId, webhookId, runId: 'run_1' };
const endpoint = { customerId, id: webhookId };
const attempt = 1;
const cause = new Error('throttled');
const waits = { status: 'pending', retryAt: startOfTest } as const;
const failed = { status: 'failed', endedAt: startOfTest } as const;
const job = buildBulkReplay({}, startOfTest, new Uint8Array(10));
const entry = { at: startOfTest, ...acknowledged };

/** Events of every name that together have every fact that a line can have. */
export const everyEvent: { readonly [name in Name]: readonly (TelemetryEvent & { readonly name: name })[] } =
  {
    'delivery.attempted': [
      {
        name: 'delivery.attempted',
        delivery,
        attempt,
        entry,
        transition: { status: 'delivered', endedAt: startOfTest },
      },
      { name: 'delivery.attempted', delivery, attempt, entry: buildLogEntry(), transition: waits },
    ],
    'delivery.interrupted': [
      { name: 'delivery.interrupted', delivery, attempt, transition: waits },
      { name: 'delivery.interrupted', delivery, attempt, transition: failed },
    ],
    'delivery.cancelled': [{ name: 'delivery.cancelled', delivery: keyOf(), reason: 'endpoint_deleted' }],
    'delivery.superseded': [{ name: 'delivery.superseded', delivery, attempt }],
    'delivery.stranded': [{ name: 'delivery.stranded', delivery: keyOf(), createdAt: startOfTest }],
    'replay.stalled': [{ name: 'replay.stalled', key: job, lastStepAt: startOfTest }],
    'attempt.released': [{ name: 'attempt.released', delivery, attempt, reason: 'out_of_time' }],
    'endpoint.slow': [{ name: 'endpoint.slow', endpoint }],
    'endpoint.quick_again': [{ name: 'endpoint.quick_again', endpoint }],
    'replay.started': [{ name: 'replay.started', job }],
    'replay.stepped': [{ name: 'replay.stepped', job, replayed: 1, skipped: 1 }],
    'replay.ended': [
      { name: 'replay.ended', job: { ...job, status: 'cancelled', cancelReason: 'requested' } },
    ],
    'sweep.done': [{ name: 'sweep.done', woken: 1, oldestOverdue: 1 }],
    'intake.done': [
      {
        name: 'intake.done',
        results: ['accepted', 'repeated', 'unknown_customer', 'retried'],
        events: [{ customerId, event, deliveries: 1, isRepeated: true }],
      },
    ],
    unknown_customer: [{ name: 'unknown_customer', type: 'run.settled', customerId, runId: 'run_1' }],
    'row.unreadable': [{ name: 'row.unreadable', kind: 'Run', key: { pk: 'p', sk: 's' }, fault: 'none' }],
    'step.failed': [
      { name: 'step.failed', step: 'schedule', delivery, cause },
      { name: 'step.failed', step: 'lane', subject, cause },
    ],
  };

function keyOf() {
  return { customerId, webhookId, id: delivery.id };
}
