import { beforeEach, describe, expect, it } from 'vitest';
import { noQuery } from '#shared/contract/list-query.ts';
import { makeId } from '#shared/domain/ids.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import { logger, report } from '#shared/runtime/telemetry.ts';
import { logBytes, logLineOverhead } from '../../../bench/model/assumptions.ts';
import { buildApiEvent, lambdaContext, useOutput } from '../../support/aws/lambda-events.ts';
import { acknowledged, buildDelivery, customerId, startOfTest } from '../../support/values/builders.ts';

const entropy = new Uint8Array(10).fill(7);
const runId = makeId('run', startOfTest, entropy);
const eventId = makeId('event', startOfTest - 80, entropy);
const event = { id: eventId, type: 'run.completed', runId, trackerId: null, changeReportId: null };
const delivery = buildDelivery({ event });

const output = useOutput();

beforeEach(() => {
  logger.appendKeys({ function_request_id: crypto.randomUUID() });
});

/** Bytes that CloudWatch bills for the one line. */
const billed = () => Buffer.byteLength(output().trimEnd()) + logLineOverhead;

function batchOf(count: number): void {
  const events = Array.from({ length: count }, () => ({
    customerId,
    event,
    deliveries: 1,
    isRepeated: false,
  }));
  report({ name: 'intake.done', results: events.map(() => 'accepted' as const), events });
}

describe('the bytes of log lines in the cost model', () => {
  it('an acknowledged attempt', () => {
    const transition = { status: 'delivered', endedAt: startOfTest } as const;
    report({
      name: 'delivery.attempted',
      delivery,
      attempt: 1,
      entry: { at: startOfTest, ...acknowledged },
      transition,
    });

    expect(Math.abs(billed() / logBytes.attempt - 1)).toBeLessThan(0.02);
  });

  it.each([1, 10])('a batch of the intake with %i events', (count) => {
    batchOf(count);

    const modelled = logBytes.intakeBatch + count * logBytes.intakeEvent;
    expect(Math.abs(billed() / modelled - 1)).toBeLessThan(0.02);
  });

  it('a request to the API about one endpoint', async () => {
    const admitted = { admitted: true, headers: {}, retryAfter: 1 };
    const deps = {
      docsUrl: 'https://docs.example.com',
      authenticate: async () => ({ customerId, credentialId: 'aky_1' }),
      limitRequests: async () => admitted,
    };
    const requestContext = { ...buildApiEvent().requestContext, requestId: crypto.randomUUID() };
    const pathParameters = { id: delivery.webhookId };
    const handler = apiHandler('getWebhook', deps, noQuery, async () => ({}));
    await handler(buildApiEvent({ requestContext, pathParameters }), lambdaContext);

    expect(Math.abs(billed() / logBytes.request - 1)).toBeLessThan(0.02);
  });
});
