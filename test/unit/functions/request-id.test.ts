import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deliveryKey, waitingAttributes } from '#shared/aws/table/keys.ts';
import { apiEvent, emptyQueue, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { buildSqsEvent, captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { buildDelivery, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const logLine = z.looseObject({ message: z.string(), function_request_id: z.string().optional() });
const delivery = buildDelivery();

/** One function of each kind, with an event that makes it log. */
const functions: readonly (readonly [folder: string, name: string, message: string, event: unknown])[] = [
  ['api', 'get-webhook', 'request.failed', apiEvent('GET', '/v1/webhooks/{id}', { path: { id: webhookId } })],
  ['queue', 'intake', 'message.refused', buildSqsEvent('not JSON')],
  ['queue', 'deliver', 'message.refused', buildSqsEvent('not JSON')],
  ['schedule', 'sweep', 'sweep.done', {}],
  ['schedule', 'audit', 'audit.done', {}],
];

const overdue = { ...deliveryKey(delivery), ...waitingAttributes(delivery, startOfTest - 300_000) };
const onIndex: object[] = [];

/** The index has one overdue delivery at first, no endpoint can be read, and queues take every message. */
beforeEach(() => {
  table.on(QueryCommand).callsFake(({ IndexName }) => ({ Items: IndexName === undefined ? [] : onIndex.splice(0) }));
  table.on(UpdateCommand, { Key: deliveryKey(delivery) }).resolves({ Attributes: toDeliveryItem(delivery) });
  queues.resolves(emptyQueue);
});

it.each(functions)(
  'a log line of %s/%s names the invocation that wrote it, in snake case',
  async (folder, name, message, event) => {
    const { handler } = await import(`../../../functions/${folder}/${name}/handler.ts`);
    const output = captureOutput();

    for (const awsRequestId of ['invocation-1', 'invocation-2']) {
      onIndex.push(overdue);
      await handler(event, { ...lambdaContext, awsRequestId });
    }

    const logged = output().match(/^.*"message".*$/gm) ?? [];
    const lines = logged.map((line) => logLine.parse(readEmbedded(line).facts));
    expect(lines.map((line) => [line.message, line.function_request_id])).toEqual([
      [message, 'invocation-1'],
      [message, 'invocation-2'],
    ]);
    expect(lines.flatMap(Object.keys).filter((each) => !/^[a-z0-9_]+$/.test(each))).toEqual([]);
  },
);
