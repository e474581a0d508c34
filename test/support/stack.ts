import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import * as z from 'zod';
import { seedCustomers } from '../../local/seed.ts';
import { createServiceClient } from '../../local/service-client.ts';
import { type RunningStack, startStack } from '../../local/start.ts';
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
