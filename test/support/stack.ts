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

export type SharedStack = {
  /** Makes a customer, so that tests see neither the endpoints nor the events of each other. */
  readonly newCustomer: () => Promise<StackCustomer>;
  /** Retry schedules that were made for a delivery, in order. */
  readonly schedules: (deliveryId: string) => Promise<readonly RetrySchedule[]>;
  /** Waits until no message is left in the intake and the delivery queue. */
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
  .transform(({ Attributes }) => Attributes);

/** One stack with a fast clock for all tests of a file. */
export function useStack(): SharedStack {
  let stack: RunningStack;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'e2e-'));
    stack = await startStack({ port: 0, timeScale, stateDir: dir, stackFile: null });
    await stack.warm;
  });
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

/** How many messages a queue holds, visible or in flight. */
export async function queueSize(sqsUrl: string, queueUrl: string): Promise<number> {
  const { call, close } = createServiceClient('sqs', sqsUrl);
  const input = { QueueUrl: queueUrl, AttributeNames: ['All'] };
  const counts = queueCounts.parse(await call('GetQueueAttributes', input).finally(close));
  return counts.ApproximateNumberOfMessages + counts.ApproximateNumberOfMessagesNotVisible;
}

async function newCustomer({ info }: RunningStack): Promise<StackCustomer> {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  return new StackCustomer(info, only(await seedCustomers(target, ['Customer of a test'])));
}

async function drained({ info }: RunningStack): Promise<void> {
  for (const queueUrl of [info.intake_queue_url, info.delivery_queue_url]) {
    await eventually(async () => expect(await queueSize(info.endpoints.sqs, queueUrl)).toBe(0));
  }
}
