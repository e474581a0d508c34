import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { deliveryKey, waitingAttributes } from '#shared/aws/table/keys.ts';
import { apiEvent, emptyQueue, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { buildSqsEvent, captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { buildDelivery, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const logLine = z.looseObject({ message: z.string(), function_request_id: z.string().optional() });

/** One function of each kind, called with an event that makes it log. */
const calls: readonly (readonly [string, string, (context: Context) => Promise<unknown>])[] = [
  [
    'api',
    'request.failed',
    async (context) => {
      const { handler } = await import('../../../functions/api/get-webhook/handler.ts');
      table.on(GetCommand, { ConsistentRead: true }).rejects(new Error('throttled'));
      return handler(apiEvent('GET', '/v1/webhooks/{id}', { path: { id: webhookId } }), context);
    },
  ],
  [
    'queue/intake',
    'message.refused',
    async (context) => {
      const { handler } = await import('../../../functions/queue/intake/handler.ts');
      return handler(buildSqsEvent('not JSON'), context);
    },
  ],
  [
    'queue/deliver',
    'message.refused',
    async (context) => {
      const { handler } = await import('../../../functions/queue/deliver/handler.ts');
      return handler(buildSqsEvent('not JSON'), context);
    },
  ],
  [
    'schedule/sweep',
    'sweep.done',
    async (context) => {
      const { handler } = await import('../../../functions/schedule/sweep/handler.ts');
      const delivery = buildDelivery();
      const rows = [{ ...deliveryKey(delivery), ...waitingAttributes(delivery, startOfTest - 300_000) }];
      table.on(QueryCommand).callsFake(() => ({ Items: rows.splice(0) }));
      table.on(UpdateCommand).resolves({ Attributes: toDeliveryItem(delivery) });
      return handler({}, context);
    },
  ],
  [
    'schedule/audit',
    'audit.done',
    async (context) => {
      const { handler } = await import('../../../functions/schedule/audit/handler.ts');
      table.on(QueryCommand).resolves({ Items: [] });
      queues.resolves(emptyQueue);
      return handler({}, context);
    },
  ],
];

describe('a log line', () => {
  it.each(calls)(
    'of %s names the invocation that wrote it, in snake case',
    async (_function, message, call) => {
      queues.on(SendMessageCommand).resolves({}).on(SendMessageBatchCommand).resolves({});
      const output = captureOutput();

      for (const awsRequestId of ['invocation-1', 'invocation-2']) {
        await call({ ...lambdaContext, awsRequestId });
      }

      const logged = output().match(/^.*"message".*$/gm) ?? [];
      const lines = logged.map((line) => logLine.parse(readEmbedded(line).facts));
      expect(lines.map((line) => [line.message, line.function_request_id])).toEqual([
        [message, 'invocation-1'],
        [message, 'invocation-2'],
      ]);
      expect(lines.flatMap(Object.keys).filter((name) => !/^[a-z0-9_]+$/.test(name))).toEqual([]);
    },
  );
});
