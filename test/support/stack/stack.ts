import { expect, inject } from 'vitest';
import * as z from 'zod';
import { seedCustomers } from '../../../tools/local/stack/seed.ts';
import { createServiceClient } from '../../../tools/local/stack/service-client.ts';
import type { StackFile } from '../../../tools/local/stack/stack-file.ts';
import { eventually, only } from './eventually.ts';
import { StackCustomer } from './stack-customer.ts';
import { stackTable } from './stack-table.ts';

const scheduleHistory = z.array(z.object({ name: z.string(), expression: z.string() }));

const queueCounts = z
  .object({
    Attributes: z.object({
      ApproximateNumberOfMessages: z.coerce.number(),
      ApproximateNumberOfMessagesNotVisible: z.coerce.number(),
    }),
  })
  .transform(({ Attributes }) => ({
    visible: Attributes.ApproximateNumberOfMessages,
    inFlight: Attributes.ApproximateNumberOfMessagesNotVisible,
  }));

/** The stack that all end-to-end tests share. */
export function useStack() {
  const { info } = inject('stack');
  const table = stackTable(info);
  return {
    /** Makes a customer, so that tests see neither the endpoints nor the events of each other. */
    newCustomer: async (name = 'Customer of a test') => {
      const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
      return new StackCustomer(info, only(await seedCustomers(target, [name])));
    },
    /** The stack's table, to write records that would take long to arise. */
    table: () => table,
    /** Waits until the intake queue is empty and no message waits in the delivery queue. */
    drained: () => drained(info),
  };
}

export async function retrySchedules(historyUrl: string, deliveryId: string) {
  const history = scheduleHistory.parse(await (await fetch(historyUrl)).json());
  return history.filter(({ name }) => name.startsWith(`${deliveryId}-`));
}

/** When a one-time schedule is due, in epoch milliseconds. */
export function dueTime({ expression }: { readonly expression: string }): number {
  const [, time = ''] = /^at\((.*)\)$/.exec(expression) ?? [];
  return Date.parse(`${time}Z`);
}

/** How many messages wait in a queue, and how many were received and may come back. */
export async function queueSize(sqsUrl: string, queueUrl: string) {
  const { call, close } = createServiceClient('sqs', sqsUrl);
  const input = { QueueUrl: queueUrl, AttributeNames: ['All'] };
  return queueCounts.parse(await call('GetQueueAttributes', input).finally(close));
}

/** Ignores invisible messages of the delivery queues: a copy of one whose attempt was in flight stays so for minutes. */
async function drained(info: StackFile): Promise<void> {
  const { sqs } = info.endpoints;
  await eventually(async () =>
    expect(await queueSize(sqs, info.intake_queue_url)).toEqual({ visible: 0, inFlight: 0 }),
  );
  for (const url of [info.delivery_queue_url, info.slow_delivery_queue_url]) {
    await eventually(async () => expect(await queueSize(sqs, url)).toMatchObject({ visible: 0 }));
  }
}
