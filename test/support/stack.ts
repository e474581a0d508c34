import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect } from 'vitest';
import * as z from 'zod';
import { seedCustomers } from '../../local/seed.ts';
import { createServiceClient } from '../../local/service-client.ts';
import { type RunningStack, startStack } from '../../local/start.ts';
import type { Table } from '../../shared/aws/clients.ts';
import { apiKeyListKey, liveEndpointKey, rateWindowKey } from '../../shared/aws/table/keys.ts';
import { eventually, only, StackCustomer } from './stack-customer.ts';

/** Ten and fifty minutes become half a second and two and a half. */
const timeScale = 1200;

/** On a machine that may be busy; milliseconds. */
const startPatience = 120_000;

export type SharedStack = {
  /** Makes a customer, so that tests see neither the endpoints nor the events of each other. */
  readonly newCustomer: () => Promise<StackCustomer>;
  /** Retry schedules that were made for a delivery, in order. */
  readonly schedules: (deliveryId: string) => Promise<readonly RetrySchedule[]>;
  /** Waits until every message of the intake queue is done and none waits in the delivery queue. */
  readonly drained: () => Promise<void>;
  /** The stack's table, to write what would take long to come about. */
  readonly table: () => Table;
  /** Makes the requests that were counted for a customer's key this much older. Milliseconds. */
  readonly ageRequests: (customer: StackCustomer, by: number) => Promise<void>;
  /** Stores an endpoint of the customer that nobody can read. */
  readonly breakEndpoint: (customer: StackCustomer) => Promise<void>;
  /** One action of DynamoDB on the stack's table. */
  readonly onTable: (action: string, input: object) => Promise<unknown>;
};

const scheduleHistory = z.array(
  z.object({ name: z.string(), expression: z.string(), fired_at: z.string().nullable() }),
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

/** One stack with a fast clock for all tests of a file. */
export function useStack(): SharedStack {
  let stack: RunningStack;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'e2e-'));
    stack = await startStack({ port: 0, timeScale, stateDir: dir, stackFile: null });
    // Loading functions is not to use up the patience of the first tests.
    await stack.warm;
  }, startPatience);
  afterAll(async () => {
    await stack?.close();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    newCustomer: () => newCustomer(stack),
    table: () => tableOf(stack),
    ageRequests: (customer, by) => ageRequests(tableOf(stack), customer.id, by),
    breakEndpoint: async (customer) => {
      const { client, name } = tableOf(stack);
      const Item = liveEndpointKey(customer.id, 'whe_broken');
      await client.send(new PutCommand({ TableName: name, Item }));
    },
    schedules: (deliveryId) => retrySchedules(stack.scheduleHistoryUrl, deliveryId),
    drained: () => drained(stack),
    onTable: async (action, input) => {
      const { call, close } = createServiceClient('dynamodb', stack.info.endpoints.dynamodb);
      return await call(action, { TableName: stack.info.table_name, ...input }).finally(close);
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

/** How many messages wait in a queue, and how many were received and may come back. */
export async function queueSize(sqsUrl: string, queueUrl: string) {
  const { call, close } = createServiceClient('sqs', sqsUrl);
  const input = { QueueUrl: queueUrl, AttributeNames: ['All'] };
  return queueCounts.parse(await call('GetQueueAttributes', input).finally(close));
}

async function newCustomer({ info }: RunningStack): Promise<StackCustomer> {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  return new StackCustomer(info, only(await seedCustomers(target, ['Customer of a test'])));
}

function tableOf({ info }: RunningStack): Table {
  const client = new DynamoDBClient({
    endpoint: info.endpoints.dynamodb,
    region: info.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return { client: DynamoDBDocumentClient.from(client), name: info.table_name };
}

const apiKeyRows = z.array(z.object({ id: z.string() })).length(1);
const windowItem = z.looseObject({ previous: z.array(z.number()), current: z.array(z.number()) });

async function ageRequests({ client, name }: Table, customerId: string, by: number): Promise<void> {
  const { pk, sk } = apiKeyListKey(customerId, '');
  const { Items } = await client.send(
    new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
    }),
  );
  const [key] = apiKeyRows.parse(Items);
  const Key = rateWindowKey(key?.id ?? '');
  const { Item } = await client.send(new GetCommand({ TableName: name, Key }));
  const { previous, current, ...rest } = windowItem.parse(Item);
  const older = (times: readonly number[]) => times.map((time) => time - by);
  await client.send(
    new PutCommand({
      TableName: name,
      Item: { ...rest, previous: older(previous), current: older(current) },
    }),
  );
}

/** A copy of a message whose attempt was in flight stays invisible for minutes, so those are not waited for. */
async function drained({ info }: RunningStack): Promise<void> {
  const { sqs } = info.endpoints;
  await eventually(async () =>
    expect(await queueSize(sqs, info.intake_queue_url)).toEqual({ visible: 0, inFlight: 0 }),
  );
  await eventually(async () =>
    expect(await queueSize(sqs, info.delivery_queue_url)).toMatchObject({ visible: 0 }),
  );
}
