import { randomBytes } from 'node:crypto';
import { expect, inject } from 'vitest';
import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import { apiKeyListKey, liveEndpointKey, rateWindowKey } from '#shared/aws/table/keys.ts';
import { makeId } from '#shared/domain/ids.ts';
import { seedCustomers } from '../../../local/stack/seed.ts';
import { createServiceClient } from '../../../local/stack/service-client.ts';
import type { StackFile } from '../../../local/stack/stack-file.ts';
import { eventually, only } from './eventually.ts';
import { StackCustomer } from './stack-customer.ts';
import { stackTable } from './stack-table.ts';

export type SharedStack = {
  /** Makes a customer, so that tests see neither the endpoints nor the events of each other. */
  readonly newCustomer: (name?: string) => Promise<StackCustomer>;
  /** Retry schedules that were made for a delivery, in order. */
  readonly schedules: (deliveryId: string) => Promise<readonly RetrySchedule[]>;
  /** Waits until the intake queue is empty and no message waits in the delivery queue. */
  readonly drained: () => Promise<void>;
  /** The stack's table, to write records that would take long to arise. */
  readonly table: () => Table;
  /** Makes the counted requests of a customer's key older by that many milliseconds. */
  readonly ageRequests: (customer: StackCustomer, by: number) => Promise<void>;
  /** Stores an endpoint of the customer that nobody can read. @returns its id */
  readonly breakEndpoint: (customer: StackCustomer) => Promise<string>;
  /** One action of DynamoDB on the stack's table. */
  readonly onTable: (action: string, input: object) => Promise<unknown>;
};

const scheduleHistory = z.array(
  z.object({
    name: z.string(),
    expression: z.string(),
    created_at: z.string(),
    fired_at: z.string().nullable(),
  }),
);

export type RetrySchedule = z.infer<typeof scheduleHistory>[number];

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
export function useStack(): SharedStack {
  const { info, scheduleHistoryUrl } = inject('stack');
  const table = stackTable(info);
  return {
    newCustomer: (name = 'Customer of a test') => newCustomer(info, name),
    table: () => table,
    ageRequests: (customer, by) => ageRequests(table, customer.id, by),
    breakEndpoint: async (customer) => {
      const id = makeId('webhook', Date.now(), randomBytes(10));
      const Item = liveEndpointKey(customer.id, id);
      await table.client.put({ TableName: table.name, Item });
      return id;
    },
    schedules: (deliveryId) => retrySchedules(scheduleHistoryUrl, deliveryId),
    drained: () => drained(info),
    onTable: async (action, input) => {
      const { call, close } = createServiceClient('dynamodb', info.endpoints.dynamodb);
      return await call(action, { TableName: info.table_name, ...input }).finally(close);
    },
  };
}

export async function retrySchedules(
  historyUrl: string,
  deliveryId: string,
): Promise<readonly RetrySchedule[]> {
  const history = scheduleHistory.parse(await (await fetch(historyUrl)).json());
  return history.filter(({ name }) => name.startsWith(`${deliveryId}-`));
}

/** When a one-time schedule is due, in epoch milliseconds. */
export function dueTime({ expression }: RetrySchedule): number {
  const [, time = ''] = /^at\((.*)\)$/.exec(expression) ?? [];
  return Date.parse(`${time}Z`);
}

/** When a schedule was made, in epoch milliseconds. */
export function createdTime({ created_at }: RetrySchedule): number {
  return Date.parse(created_at);
}

/** How many messages wait in a queue, and how many were received and may come back. */
export async function queueSize(sqsUrl: string, queueUrl: string) {
  const { call, close } = createServiceClient('sqs', sqsUrl);
  const input = { QueueUrl: queueUrl, AttributeNames: ['All'] };
  return queueCounts.parse(await call('GetQueueAttributes', input).finally(close));
}

async function newCustomer(info: StackFile, name: string): Promise<StackCustomer> {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  return new StackCustomer(info, only(await seedCustomers(target, [name])));
}

const apiKeyRows = z.array(z.object({ id: z.string() })).length(1);
const windowItem = z.looseObject({ previous: z.array(z.number()), current: z.array(z.number()) });

async function ageRequests({ client, name }: Table, customerId: string, by: number): Promise<void> {
  const { pk, sk } = apiKeyListKey(customerId, '');
  const { Items } = await client.query({
    TableName: name,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  });
  const [key] = apiKeyRows.parse(Items);
  const Key = rateWindowKey(key?.id ?? '');
  const { Item } = await client.get({ TableName: name, Key });
  const { previous, current, ...rest } = windowItem.parse(Item);
  const older = (times: readonly number[]) => times.map((time) => time - by);
  await client.put({
    TableName: name,
    Item: { ...rest, previous: older(previous), current: older(current) },
  });
}

/** Ignores invisible messages of the delivery queues: a copy of one whose attempt was in flight stays so for minutes. */
async function drained(info: StackFile): Promise<void> {
  const { sqs } = info.endpoints;
  await eventually(async () =>
    expect(await queueSize(sqs, info.intake_queue_url)).toEqual({ visible: 0, inFlight: 0 }),
  );
  await eventually(async () =>
    expect(await queueSize(sqs, info.delivery_queue_url)).toMatchObject({ visible: 0 }),
  );
  await eventually(async () =>
    expect(await queueSize(sqs, info.slow_delivery_queue_url)).toMatchObject({ visible: 0 }),
  );
}
