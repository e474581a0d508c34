import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import {
  emptyQueue,
  operationCommands,
  settings,
  useFunctionClients,
} from '../../support/aws/aws-functions.ts';
import { commandsOf, unexpected } from '../../support/aws/aws-mocks.ts';
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

const partition = `DLV#${customerId}#${webhookId}#0`;
const stranded = { sk: deliveryId(startOfTest - 8 * hour, digest('stranded'), 1), status: 'pending' };
const Key = { pk: partition, sk: stranded.sk };

/** A customer whose one endpoint has one delivery, which nothing continues. */
beforeEach(() => {
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues: { ':pk': pk, ':first': first } }) => {
    if (pk === 'CUSTOMERS') return { Items: [{ sk: customerId }] };
    if (first === 'WEBHOOKS#') return { Items: [{ sk: `WEBHOOKS#${webhookId}`, delivery_partitions: 1 }] };
    return { Items: pk === partition ? [stranded] : [] };
  });
  table.on(GetCommand).resolves({});
  table.on(GetCommand, { Key }).resolves({ Item: stranded });
  table.on(UpdateCommand, { Key }).resolves({});
  queues.on(GetQueueAttributesCommand).resolves(emptyQueue);
});

describe('the sweep', () => {
  it('the sweep begins no page with less than ten seconds left, so that it is not killed in the middle of one', async () => {
    await run('sweep', 60_000, 10_001, 10_000, 9_999, 1);

    expect(operationCommands(table)).toHaveLength(2);
  });
});

describe('the audit', () => {
  it('the audit asks every queue that leads to an attempt, and looks at what is six to nine hours old', async () => {
    captureOutput();
    await run('audit');

    expect(commandsOf(queues)).toMatchObject(
      [settings.INTAKE_QUEUE_URL, settings.DELIVERY_QUEUE_URL, settings.SLOW_DELIVERY_QUEUE_URL].map(
        (QueueUrl) => ({ GetQueueAttributesCommand: { QueueUrl } }),
      ),
    );
    expect(operationCommands(table)).toContainEqual({
      QueryCommand: expect.objectContaining({
        ExpressionAttributeValues: {
          ':pk': partition,
          ':first': firstIdAt('delivery', startOfTest - 9 * hour),
          ':last': firstIdAt('delivery', startOfTest - 6 * hour + 1),
        },
      }),
    });
  });

  it('the audit hands what is stranded to the sweep, and logs its ids and the counts', async () => {
    const output = captureOutput();

    await run('audit');

    expect(operationCommands(table)).toContainEqual({ UpdateCommand: expect.objectContaining({ Key }) });
    expect(output()).toContain(`"message":"delivery.stranded"`);
    expect(output()).toContain(stranded.sk);
    expect(output()).toMatch(/"audit\.done".*"stranded":1.*"woken":1,"stalled_replays":0,"complete":true/);
  });

  it('the audit begins nothing with less than ten seconds left, and publishes that it is not complete', async () => {
    const output = captureOutput();

    await run('audit', 10_000);

    expect(output()).toContain('"AuditIncomplete":1');
    expect(output()).toMatch(/"audit\.done".*"complete":false/);
  });

  it('the audit fails when it cannot read, and publishes nothing that looks like calm', async () => {
    const output = captureOutput();
    table.on(QueryCommand).rejects(unexpected);

    await expect(run('audit')).rejects.toBe(unexpected);

    expect(output()).toBe('');
  });
});
