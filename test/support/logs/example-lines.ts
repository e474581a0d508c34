import * as z from 'zod';
import { noQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { IntakeResult, TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { buildApiEvent, buildSqsEvent, captureOutput, lambdaContext } from '../aws/lambda-events.ts';
import { unexpected } from '../operations/deps.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildLogEntry,
  customerId,
  startOfTest,
  webhookId,
} from '../values/builders.ts';

const delivery = buildDelivery();
const key = { customerId, webhookId, id: delivery.id };
const endpoint = { customerId, id: webhookId };
const job = newBulkReplay(
  {
    customerId,
    webhookId,
    selection: { status: 'failed', createdAfter: 0, createdBefore: startOfTest },
    rate: 10,
    requestedBy: { by: 'customer', credentialId: 'aky_1' },
  },
  startOfTest,
  new Uint8Array(10),
);
const cause = new Error('throttled');
const results: readonly IntakeResult[] = ['accepted', 'repeated', 'unknown_customer', 'retried'];
const accepted = { customerId, event: delivery.event, deliveries: 1, isRepeated: true };

/** Every event that functions log, with every fact that it can have. */
const events: { readonly [Name in TelemetryEvent['name']]: TelemetryEvent & { readonly name: Name } } = {
  'delivery.attempted': {
    name: 'delivery.attempted',
    delivery,
    attempt: 1,
    entry: buildLogEntry({ outcome: 'rejected', responseStatus: 500, error: 'Refused' }),
    transition: { status: 'pending', retryAt: startOfTest },
  },
  'delivery.interrupted': {
    name: 'delivery.interrupted',
    delivery,
    attempt: 1,
    transition: { status: 'pending', retryAt: startOfTest },
  },
  'delivery.cancelled': { name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' },
  'delivery.superseded': { name: 'delivery.superseded', delivery, attempt: 1 },
  'delivery.stranded': { name: 'delivery.stranded', delivery: key, createdAt: startOfTest },
  'attempt.released': { name: 'attempt.released', delivery, attempt: 1, reason: 'out_of_time' },
  'endpoint.slow': { name: 'endpoint.slow', endpoint },
  'endpoint.quick_again': { name: 'endpoint.quick_again', endpoint },
  'replay.started': { name: 'replay.started', job },
  'replay.stepped': { name: 'replay.stepped', job, replayed: 1, skipped: 1 },
  'replay.ended': { name: 'replay.ended', job: { ...job, status: 'cancelled', cancelReason: 'requested' } },
  'intake.done': { name: 'intake.done', results, events: [accepted] },
  'sweep.done': { name: 'sweep.done', woken: 1, oldestOverdue: 1 },
  unknown_customer: { name: 'unknown_customer', type: 'run.settled', customerId, runId: 'run_1' },
  'row.unreadable': { name: 'row.unreadable', kind: 'Run', key: { pk: 'p', sk: 's' }, fault: 'none' },
  'step.failed': { name: 'step.failed', step: 'schedule', delivery, cause },
};

export const eventNames: readonly string[] = Object.keys(events);

/** Events with the facts that those above do not have. */
const others: readonly TelemetryEvent[] = [
  {
    name: 'delivery.attempted',
    delivery: { ...delivery, event: { ...delivery.event, id: makeId('event', 0, new Uint8Array(10)) } },
    attempt: 1,
    entry: acknowledgedAttempt,
    transition: { status: 'delivered', endedAt: startOfTest },
  },
  {
    name: 'delivery.interrupted',
    delivery,
    attempt: 1,
    transition: { status: 'failed', endedAt: startOfTest },
  },
  { name: 'step.failed', step: 'lane', subject: { customerId, webhookId, runId: 'run_1' }, cause },
];

/** The ids that paths have. */
const paths = [
  { id: webhookId, deliveryId: delivery.id },
  { id: webhookId, replayId: job.id },
  { id: 'run_1' },
  { id: 'trk_1' },
];

/** The lines that functions write: for every event, for requests, and for malformed messages. */
export async function exampleLines(): Promise<readonly string[]> {
  const output = captureOutput();
  await withRequestId(async () => [...Object.values(events), ...others].forEach(report))({}, lambdaContext);
  await refuse(async () => {});
  await refuse(() => Promise.reject(cause));
  for (const path of paths) await request(async () => 'done', path);
  await request(() => Promise.reject(problem('not_found')));
  await request(() => Promise.reject(cause));
  return output().trim().split('\n');
}

async function refuse(sendToDeadLetters: () => Promise<void>): Promise<void> {
  const handler = queueHandler(z.object({ n: z.int() }), {
    process: unexpected('process'),
    sendToDeadLetters,
    refusedMetric: 'intakeRefused',
  });
  await handler(buildSqsEvent('{"n":"one"}'), lambdaContext);
}

async function request(
  run: () => Promise<unknown>,
  pathParameters: Readonly<Record<string, string>> = {},
): Promise<void> {
  const authenticate = async () => ({ customerId, credentialId: 'aky_1' });
  const limitRequests = async () => ({ admitted: true, headers: {}, retryAfter: 1 });
  const deps = { docsUrl: 'https://docs.example.com', authenticate, limitRequests };
  await apiHandler('getWebhook', deps, noQuery, run)(buildApiEvent({ pathParameters }), lambdaContext);
}
