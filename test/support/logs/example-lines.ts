import * as z from 'zod';
import { noQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { buildApiEvent, buildSqsEvent, captureOutput, lambdaContext } from '../aws/lambda-events.ts';
import { unexpected } from '../operations/deps.ts';
import { customerId } from '../values/builders.ts';
import { everyEvent } from './every-event.ts';

const cause = new Error('throttled');
/** The lines that functions write: for every event, for three requests, and for a malformed message. */
export async function exampleLines(): Promise<readonly string[]> {
  const output = captureOutput();
  await withRequestId(async () => Object.values(everyEvent).flat().forEach(report))({}, lambdaContext);
  const handler = queueHandler(z.object({ n: z.int() }), {
    process: unexpected('process'),
    sendToDeadLetters: async () => {},
    refusedMetric: 'intakeRefused',
  });
  await handler(buildSqsEvent('{"n":"one"}'), lambdaContext);
  await request(async () => 'done');
  await request(() => Promise.reject(problem('not_found')));
  await request(() => Promise.reject(cause));
  return output().trim().split('\n');
}

async function request(run: () => Promise<unknown>): Promise<void> {
  const authenticate = async () => ({ customerId, credentialId: 'aky_1' });
  const limitRequests = async () => ({ admitted: true, headers: {}, retryAfter: 1 });
  const deps = { docsUrl: 'https://docs.example.com', authenticate, limitRequests };
  await apiHandler('getWebhook', deps, noQuery, run)(buildApiEvent(), lambdaContext);
}
