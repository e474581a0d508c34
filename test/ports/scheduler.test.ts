import { afterEach, beforeEach, expect, it } from 'vitest';
import { scheduleAttempt } from '#shared/aws/attempt-scheduler.ts';
import { connectSchedules } from '#shared/aws/clients.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { ScheduleAttempt } from '#shared/operations/ports.ts';
import { startScheduler } from '../../tools/local/aws/scheduler/start-scheduler.ts';
import { clockOf, Timeline } from '../simulation/world/timeline.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { minute } from '../support/values/builders.ts';

const startOfSchedules = Date.UTC(2026, 10, 20, 10);
const due = startOfSchedules + 10 * minute;

const queueUrls = { ordinary: 'http://127.0.0.1/queue', slow: 'http://127.0.0.1/slow-queue' };

let timeline: Timeline;
let schedule: ScheduleAttempt;
let close: () => Promise<void>;
/** The messages that were put on the queue of each lane so far. */
let sent: Record<Lane, unknown[]>;

beforeEach(async () => {
  timeline = new Timeline(startOfSchedules);
  sent = { ordinary: [], slow: [] };
  const scheduler = await startScheduler({
    port: 0,
    clock: clockOf(timeline),
    groups: ['retries'],
    sendMessage: async ({ QueueUrl, MessageBody }) =>
      void sent[QueueUrl === queueUrls.slow ? 'slow' : 'ordinary'].push(JSON.parse(MessageBody)),
  });
  const client = connectSchedules({ ...localAccess, endpoint: scheduler.url });
  const roleArn = 'arn:aws:iam::000000000000:role/scheduler';
  schedule = scheduleAttempt(client, { group: 'retries', roleArn, queueUrls }, () => timeline.now);
  close = async () => {
    client.destroy();
    await scheduler[Symbol.asyncDispose]();
  };
});
afterEach(() => close());

/** Lets time pass, and everything happen that is due then. */
const pass = (ms: number) => timeline.advanceTo(timeline.now + ms);

const retry = (attempt: number): DueAttempt => ({
  key: { customerId: 'cus_1', webhookId: 'whe_1', id: 'whd_1' },
  attempt,
});
const message = (attempt: number) => ({
  customer_id: 'cus_1',
  webhook_id: 'whe_1',
  delivery_id: 'whd_1',
  attempt,
});

/** What a scheduler owes those who wait for the next attempt. */
it('a schedule sends its message once, at its time and not before', async () => {
  await schedule(retry(2), due, 'ordinary');

  await pass(10 * minute - 1);
  expect(sent.ordinary).toEqual([]);

  await pass(minute);
  expect(sent.ordinary).toEqual([message(2)]);

  await pass(60 * minute);
  expect(sent.ordinary).toEqual([message(2)]);
});

it('a schedule sends its message to the queue of its lane', async () => {
  await schedule(retry(2), due, 'slow');
  await pass(11 * minute);

  expect(sent).toEqual({ ordinary: [], slow: [message(2)] });
});

it('the scheduler takes a second schedule of the same attempt for the first one', async () => {
  await schedule(retry(2), due, 'ordinary');
  await schedule(retry(2), due + 5 * minute, 'ordinary');

  await pass(30 * minute);

  expect(sent.ordinary).toEqual([message(2)]);
});

it('the scheduler keeps the attempts of a delivery apart', async () => {
  await schedule(retry(2), due, 'ordinary');
  await schedule(retry(3), due + minute, 'ordinary');

  await pass(30 * minute);

  expect(sent.ordinary).toEqual([message(2), message(3)]);
});

it('the scheduler lets the name of a schedule that fired be taken again', async () => {
  await schedule(retry(2), due, 'ordinary');
  await pass(20 * minute);

  await schedule(retry(2), startOfSchedules + 30 * minute, 'ordinary');
  await pass(20 * minute);

  expect(sent.ordinary).toEqual([message(2), message(2)]);
});

it('the scheduler never makes a schedule that is due already: a minute has to pass', async () => {
  await schedule(retry(2), startOfSchedules - minute, 'ordinary');

  await pass(minute - 1);
  expect(sent.ordinary).toEqual([]);

  await pass(minute);
  expect(sent.ordinary).toEqual([message(2)]);
});
