import * as z from 'zod';
import { noQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { buildApiEvent, buildSqsEvent, captureOutput, lambdaContext } from '../aws/lambda-events.ts';
import { unexpected } from '../operations/deps.ts';
import { customerId, webhookId } from '../values/builders.ts';
import { everyEvent } from './every-event.ts';

const cause = new Error('throttled');
const entropy = new Uint8Array(10);

/** The ids that paths have. */
const paths = [
  { id: webhookId, deliveryId: makeId('delivery', 0, entropy) },
  { id: webhookId, replayId: makeId('bulkReplay', 0, entropy) },
  { id: 'run_1' },
  { id: 'trk_1' },
];

/** The lines that functions write: for every event, for requests, and for malformed messages. */
export async function exampleLines(): Promise<readonly string[]> {
  const output = captureOutput();
  const events = Object.entries(everyEvent).flatMap(([name, all]) =>
    all.map((facts) => ({ name, ...facts }) as TelemetryEvent),
  );
  await withRequestId(async () => events.forEach(report))({}, lambdaContext);
  await refuse(async () => {});
  await refuse(() => Promise.reject(cause));
  for (const path of paths) await request(async () => 'done', path);
  await request(() => Promise.reject(problem('not_found')));
  await request(() => Promise.reject(cause));
  return output().trim().split('\n');
}

async function refuse(sendToDeadLetters: () => Promise<void>): Promise<void> {
  const handler = queueHandler(z.object({ n: z.int() }), {
    now: () => 0,
    queue: 'intake',
    returnMessages: () => sendToDeadLetters(),
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
