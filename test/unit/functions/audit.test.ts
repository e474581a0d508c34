import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { unexpected } from '../../support/aws/aws-mocks.ts';
import { captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

let output: () => string;

beforeAll(async () => {
  const { logger } = await import('#shared/runtime/telemetry.ts');
  logger.setLogLevel('INFO');
});
beforeEach(() => {
  output = captureOutput();
  const Attributes = {
    ApproximateNumberOfMessages: '3',
    ApproximateNumberOfMessagesNotVisible: '0',
    ApproximateNumberOfMessagesDelayed: '0',
  };
  queues.on(GetQueueAttributesCommand).resolves({ Attributes });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function run(remainingMs: number): Promise<void> {
  const { handler } = await import('../../../functions/schedule/audit/handler.ts');
  await handler({}, { ...lambdaContext, getRemainingTimeInMillis: () => remainingMs });
}

describe('audit', () => {
  it('begins no customer in its last ten seconds, and says that it is not complete', async () => {
    table.on(QueryCommand).resolves({ Items: [{ sk: customerId }] });

    await run(10_000);

    const lines = output().trim().split('\n');
    expect(table.commandCalls(QueryCommand)).toHaveLength(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { PendingDeliveries: 0, AuditIncomplete: 1 },
      { message: 'audit.done', complete: false },
    ]);
  });

  it('fails when it cannot read, and publishes nothing that looks like calm', async () => {
    table.on(QueryCommand).rejects(unexpected);

    await expect(run(900_000)).rejects.toBe(unexpected);

    expect(output()).toBe('');
  });
});
