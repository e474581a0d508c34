import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { noQuery } from '#shared/contract/list-query.ts';
import { makeId } from '#shared/domain/ids.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import { logger, report } from '#shared/runtime/telemetry.ts';
import { buildApiEvent, lambdaContext, useOutput } from '../../support/aws/lambda-events.ts';
import { acknowledged, buildDelivery, customerId, startOfTest } from '../../support/values/builders.ts';

const entropy = new Uint8Array(10).fill(7);
const runId = makeId('run', startOfTest, entropy);
const eventId = makeId('event', startOfTest - 80, entropy);
const event = {
  id: eventId,
  type: 'run.completed',
  runId,
  trackerId: null,
  changeReportId: null,
  exampleType: null,
};
const delivery = buildDelivery({ event });

const output = useOutput();

/** What docs/scaling.md states about a kind of lines: the bytes of one, and what a million cost in small and full batches. */
function stated(name: string): readonly (string | undefined)[] {
  const page = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
  return row.split(' | ').slice(1);
}

/** Bytes that CloudWatch bills for each line beside its text. */
const lineOverhead = 26;

beforeEach(() => {
  logger.appendKeys({ function_request_id: crypto.randomUUID() });
});

/** Bytes that CloudWatch bills for the one line. */
const billed = () => Buffer.byteLength(output().trimEnd()) + lineOverhead;

function batchOf(count: number): void {
  const events = Array.from({ length: count }, () => ({
    customerId,
    event,
    deliveries: 1,
    isRepeated: false,
  }));
  report({ name: 'intake.done', results: events.map(() => 'accepted' as const), events });
}

function acknowledge(count: number): void {
  const transition = { status: 'delivered', endedAt: startOfTest } as const;
  const attempt = { delivery, attempt: 1, entry: { at: startOfTest, ...acknowledged }, transition };
  report({ name: 'deliveries.acknowledged', attempts: Array.from({ length: count }, () => attempt) });
}

async function answerRequest(): Promise<void> {
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
}

describe('the bytes of log lines on docs/scaling.md', () => {
  it.each<[string, string, () => unknown]>([
    ['a batch of deliveries with one attempt', 'deliveries.acknowledged', () => acknowledge(1)],
    ['a batch of the intake with one event', 'intake.done', () => batchOf(1)],
    ['a request to the API about one endpoint', 'request.done', answerRequest],
  ])('%s', async (_title, name, write) => {
    await write();

    expect(Math.abs(billed() / Number(stated(name)[0]) - 1)).toBeLessThan(0.02);
  });

  it.each<[string, (count: number) => void]>([
    ['intake.done', batchOf],
    ['deliveries.acknowledged', acknowledge],
  ])('the part of each of ten events in the line %s of their batch, at $0.50 for a GB', (name, write) => {
    write(10);

    expect(stated(name)[2]).toBe(`$${((billed() / 10) * 0.5e-3).toFixed(2)} |`);
  });

  it('an event in full batches takes at most 500 bytes, in both lines together', () => {
    batchOf(10);
    acknowledge(10);

    expect((billed() + lineOverhead) / 10).toBeLessThanOrEqual(500);
  });
});
