import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scheduleAttempt } from '#shared/aws/attempt-scheduler.ts';
import { connectSchedules } from '#shared/aws/clients.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { ScheduleAttempt } from '#shared/operations/ports.ts';
import { startScheduler } from '../../tools/local/aws/scheduler/start-scheduler.ts';
import { clockOf, Timeline } from '../simulation/world/timeline.ts';
import { localAccess } from '../support/aws/emulators.ts';

/** One-time schedules, and a clock that the test turns. */
type SchedulerPorts = {
  readonly scheduleAttempt: ScheduleAttempt;
  /** Lets time pass, and everything happen that is due then. */
  readonly pass: (ms: number) => Promise<void>;
  /** Bodies that were put on the queue of a lane so far; of the ordinary one by default. */
  readonly sent: (lane?: Lane) => readonly string[];
  readonly close: () => Promise<void>;
};

const startOfSchedules = Date.UTC(2026, 10, 20, 10);
const minute = 60_000;

/** What a scheduler owes those who wait for the next attempt. */
function schedulerSuite(connect: () => SchedulerPorts | Promise<SchedulerPorts>): void {
  let scheduler: SchedulerPorts;
  beforeEach(async () => {
    scheduler = await connect();
  });
  afterEach(() => scheduler.close());

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
  const sentMessages = () => scheduler.sent().map((body): unknown => JSON.parse(body));
  const due = startOfSchedules + 10 * minute;

  it('a schedule sends its message once, at its time and not before', async () => {
    await scheduler.scheduleAttempt(retry(2), due, 'ordinary');

    await scheduler.pass(10 * minute - 1);
    expect(sentMessages()).toEqual([]);

    await scheduler.pass(minute);
    expect(sentMessages()).toEqual([message(2)]);

    await scheduler.pass(60 * minute);
    expect(sentMessages()).toEqual([message(2)]);
  });

  it('a schedule sends its message to the queue of its lane', async () => {
    await scheduler.scheduleAttempt(retry(2), due, 'slow');
    await scheduler.pass(11 * minute);

    expect(scheduler.sent('slow').map((body): unknown => JSON.parse(body))).toEqual([message(2)]);
    expect(scheduler.sent('ordinary')).toEqual([]);
  });

  it('the scheduler takes a second schedule of the same attempt for the first one', async () => {
    await scheduler.scheduleAttempt(retry(2), due, 'ordinary');
    await scheduler.scheduleAttempt(retry(2), due + 5 * minute, 'ordinary');

    await scheduler.pass(30 * minute);

    expect(sentMessages()).toEqual([message(2)]);
  });

  it('the scheduler keeps the attempts of a delivery apart', async () => {
    await scheduler.scheduleAttempt(retry(2), due, 'ordinary');
    await scheduler.scheduleAttempt(retry(3), due + minute, 'ordinary');

    await scheduler.pass(30 * minute);

    expect(sentMessages()).toEqual([message(2), message(3)]);
  });

  it('the scheduler lets the name of a schedule that fired be taken again', async () => {
    await scheduler.scheduleAttempt(retry(2), due, 'ordinary');
    await scheduler.pass(20 * minute);

    await scheduler.scheduleAttempt(retry(2), startOfSchedules + 30 * minute, 'ordinary');
    await scheduler.pass(20 * minute);

    expect(sentMessages()).toEqual([message(2), message(2)]);
  });

  it('the scheduler never makes a schedule that is due already: a minute has to pass', async () => {
    await scheduler.scheduleAttempt(retry(2), startOfSchedules - minute, 'ordinary');

    await scheduler.pass(minute - 1);
    expect(sentMessages()).toEqual([]);

    await scheduler.pass(minute);
    expect(sentMessages()).toEqual([message(2)]);
  });
}

describe('the stand-in for EventBridge Scheduler', () => schedulerSuite(localScheduler));

const queueUrls = { ordinary: 'http://127.0.0.1/queue', slow: 'http://127.0.0.1/slow-queue' };

const noneSent = (): Record<Lane, string[]> => ({ ordinary: [], slow: [] });

async function localScheduler(): Promise<SchedulerPorts> {
  const timeline = new Timeline(startOfSchedules);
  const sent = noneSent();
  const scheduler = await startScheduler({
    port: 0,
    clock: clockOf(timeline),
    groups: ['retries'],
    sendMessage: async ({ QueueUrl, MessageBody }) =>
      void sent[QueueUrl === queueUrls.slow ? 'slow' : 'ordinary'].push(MessageBody),
  });
  const address = { ...localAccess, endpoint: scheduler.url };
  const client = connectSchedules(address);
  const target = {
    group: 'retries',
    roleArn: 'arn:aws:iam::000000000000:role/scheduler',
    queueUrls,
  };
  return {
    scheduleAttempt: scheduleAttempt(client, target, () => timeline.now),
    pass: (ms) => timeline.advanceTo(timeline.now + ms),
    sent: (lane = 'ordinary') => sent[lane],
    close: async () => {
      client.destroy();
      await scheduler[Symbol.asyncDispose]();
    },
  };
}
