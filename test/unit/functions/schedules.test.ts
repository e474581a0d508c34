import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import { customerListKey, deliveryKey, type ItemKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { emptyQueue, operationCommands, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { unexpected } from '../../support/aws/aws-mocks.ts';
import { captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId, hour, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const functions = {
  sweep: () => import('../../../functions/schedule/sweep/handler.ts'),
  audit: () => import('../../../functions/schedule/audit/handler.ts'),
};

/** @param left what Lambda says of the remaining milliseconds, one after the other; the last one for ever */
async function run(name: keyof typeof functions, ...left: number[]): Promise<void> {
  const { handler } = await functions[name]();
  const remaining = () => (left.length > 1 ? left.shift() : left[0]) ?? 900_000;
  await handler({}, { ...lambdaContext, getRemainingTimeInMillis: remaining });
}

/** The rows that queries find. */
function hold(rows: readonly ItemKey[]): void {
  table
    .on(QueryCommand)
    .callsFake(({ ExpressionAttributeValues: { ':pk': pk, ':first': first = '', ':last': last = '~' } }) => ({
      Items: rows.filter((row) => row.pk === pk && row.sk >= first && row.sk <= last),
    }));
}

/** One customer without endpoints. */
beforeEach(() => {
  hold([customerListKey(customerId)]);
  queues.on(GetQueueAttributesCommand).resolves(emptyQueue);
});

it('the sweep begins no page with less than ten seconds left, so that it is not killed in the middle of one', async () => {
  await run('sweep', 60_000, 10_001, 10_000, 9_999, 1);

  expect(operationCommands(table)).toHaveLength(2);
});

it.each([
  { left: 10_000, complete: false },
  { left: 10_001, complete: true },
])('the audit with $left ms left is complete: $complete', async ({ left, complete }) => {
  const output = captureOutput();

  await run('audit', left);

  expect(output()).toContain(`"AuditIncomplete":${complete ? 0 : 1}`);
  expect(output()).toMatch(new RegExp(`"audit\\.done".*"complete":${complete}`));
});

it('the audit hands a delivery that has lost its message to the sweep', async () => {
  const id = deliveryId(startOfTest - 7 * hour, digest('stranded'), 1);
  const key = deliveryKey({ customerId, webhookId, id });
  const row = { ...key, status: 'pending' };
  hold([customerListKey(customerId), liveEndpointKey(customerId, webhookId), row]);
  table.on(GetCommand).resolves({}).on(GetCommand, { Key: key }).resolves({ Item: row }).on(UpdateCommand).resolves({});

  await run('audit', 60_000);

  expect(table.commandCalls(UpdateCommand, { Key: key })).toHaveLength(1);
});

it('the audit fails when it cannot read, and publishes nothing that looks like calm', async () => {
  const output = captureOutput();
  table.on(QueryCommand).rejects(unexpected);

  await expect(run('audit')).rejects.toBe(unexpected);

  expect(output()).toBe('');
});
