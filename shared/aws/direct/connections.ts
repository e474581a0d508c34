import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ScheduleClient } from '#shared/aws/attempt-scheduler.ts';
import type { Table } from '#shared/aws/clients.ts';
import type { QueueClient } from '#shared/aws/queues/queue-client.ts';
import type { KeyClient } from '#shared/aws/secret-cipher.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import type { Report } from '#shared/operations/ports.ts';
import type { Host } from './host.ts';
import { connectService, jsonCall } from './json-service.ts';
import { recordOf } from './service-error.ts';
import { tableOperations } from './table-operations.ts';

/**
 * The clients of the functions. They send signed requests without the AWS SDK, whose clients take most of the CPU and
 * the cold start of a function: docs/decisions/0009-requests-without-the-sdk.md. Call each once per process, at module
 * scope of a handler, so that invocations share the connections.
 */

export function connectTable(name: string, report: Report, host: Host): Table {
  const { service, close } = connectService('dynamodb', host);
  const call = jsonCall(service, '1.0', 'DynamoDB_20120810');
  const client = servingUnexpired(tableOperations(call, close), host.now);
  return { client, name, report };
}

const batchAnswer = z.object({ Failed: z.array(z.object({ Id: z.string() })).optional() });
const queueAttributes = z.object({ Attributes: z.record(z.string(), z.string()).optional() });

export function connectQueues(host: Host): QueueClient {
  const call = jsonCall(connectService('sqs', host).service, '1.0', 'AmazonSQS');
  return {
    sendMessage: async (input) => void (await call('SendMessage', input)),
    sendMessageBatch: async (input) => batchAnswer.parse(await call('SendMessageBatch', input)),
    changeMessageVisibilityBatch: async (input) =>
      batchAnswer.parse(await call('ChangeMessageVisibilityBatch', input)),
    getQueueAttributes: async (input) => queueAttributes.parse(await call('GetQueueAttributes', input)),
  };
}

export function connectKeys(host: Host): KeyClient {
  const call = jsonCall(connectService('kms', host).service, '1.1', 'TrentService');
  return {
    encrypt: async ({ Plaintext, ...input }) => {
      const answer = recordOf(await call('Encrypt', { ...input, Plaintext: toBase64(Plaintext) }));
      return { CiphertextBlob: fromBase64(answer.CiphertextBlob) };
    },
    decrypt: async ({ CiphertextBlob, ...input }) => {
      const answer = recordOf(await call('Decrypt', { ...input, CiphertextBlob: toBase64(CiphertextBlob) }));
      return { Plaintext: fromBase64(answer.Plaintext) };
    },
  };
}

const toBase64 = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64');
const fromBase64 = (text: unknown) => (typeof text === 'string' ? Buffer.from(text, 'base64') : undefined);

export function connectSchedules(host: Host): ScheduleClient {
  const { service } = connectService('scheduler', host);
  return {
    createSchedule: async ({ Name = '', ...input }) => {
      await service({
        path: `/schedules/${encodeURIComponent(Name)}`,
        headers: { 'content-type': 'application/json' },
        // The same for all tries, so that a retry after a lost response is no conflict.
        body: JSON.stringify({ ...input, ClientToken: randomUUID() }),
      });
    },
  };
}
