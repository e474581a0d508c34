import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../tools/local/aws/clock.ts';
import {
  type RunningScheduler,
  type SchedulerOptions,
  startScheduler,
} from '../../tools/local/aws/scheduler/start-scheduler.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const start = Date.parse('2026-11-20T10:00:00.000Z');
const minute = 60_000;
const input = { QueueUrl: 'http://127.0.0.1/q', MessageBody: '{"n":1}', MessageGroupId: 'wh_1' };
const target = {
  Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
  RoleArn: 'arn:aws:iam::000000000000:role/scheduler',
  Input: JSON.stringify(input),
};
const historySchema = z.array(
  z.object({
    name: z.string(),
    group: z.string(),
    expression: z.string(),
    created_at: z.string(),
    input: z.string(),
    fired_at: z.string().nullable(),
  }),
);

class ManualClock implements Clock {
  time = start;
  readonly timers = new Map<() => void, number>();

  now(): number {
    return this.time;
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    this.timers.set(callback, this.time + delayMs);
    return () => this.timers.delete(callback);
  }

  advance(ms: number): void {
    this.time += ms;
    for (const [callback, at] of [...this.timers]) {
      if (at > this.time || !this.timers.delete(callback)) continue;
      callback();
    }
  }
}

let clock: ManualClock;
let dir: string;
let client: SchedulerClient;
let scheduler: RunningScheduler;
const sendMessage = vi.fn<SchedulerOptions['sendMessage']>();

beforeEach(async () => {
  clock = new ManualClock();
  sendMessage.mockReset().mockResolvedValue({});
  dir = await temporaryFolder();
  await begin();
});
afterEach(end);

async function begin(options: Partial<SchedulerOptions> = {}): Promise<void> {
  scheduler = await startScheduler({
    port: 0,
    sendMessage,
    clock,
    groups: ['retries'],
    dataFile: join(dir, 'schedules.sqlite'),
    ...options,
  });
  client = new SchedulerClient({ ...localAccess, endpoint: scheduler.url });
}

async function end(): Promise<void> {
  client.destroy();
  await scheduler[Symbol.asyncDispose]();
}

async function restart(options: Partial<SchedulerOptions> = {}): Promise<void> {
  await end();
  await begin(options);
}

function command(overrides: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommand {
  return new CreateScheduleCommand({
    Name: 'dlv_1-2',
    GroupName: 'retries',
    ScheduleExpression: 'at(2026-11-20T10:10:00)',
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: target,
    ...overrides,
  });
}

async function history(): Promise<z.infer<typeof historySchema>> {
  return historySchema.parse(await (await fetch(scheduler.historyUrl)).json());
}

/** Names of the schedules that have not fired. */
async function waiting(): Promise<string[]> {
  return (await history()).filter(({ fired_at }) => fired_at === null).map(({ name }) => name);
}

describe('CreateSchedule', () => {
  it('CreateSchedule answers a repeated call with the same token again, and refuses a different one', async () => {
    const first = await client.send(command({ ClientToken: 'token-1' }));
    clock.advance(1000);

    const second = await client.send(command({ ClientToken: 'token-1' }));
    const changed = client.send(command({ ClientToken: 'token-1', ScheduleExpression: 'at(2026-11-20T10:11:00)' }));

    const arn = 'arn:aws:scheduler:us-east-1:000000000000:schedule/retries/dlv_1-2';
    expect([first.ScheduleArn, second.ScheduleArn]).toEqual([arn, arn]);
    await expect(changed).rejects.toThrow(ConflictException);
    await expect(client.send(command({ GroupName: 'default' }))).resolves.toBeDefined();
    expect(await waiting()).toEqual(['dlv_1-2', 'dlv_1-2']);
  });

  it.each<[string, Partial<CreateScheduleCommandInput>]>([
    ['a time in the past', { ScheduleExpression: 'at(2026-11-20T09:59:59)' }],
    ['the present', { ScheduleExpression: 'at(2026-11-20T10:00:00)' }],
    ['a date that does not exist', { ScheduleExpression: 'at(2027-02-30T10:00:00)' }],
    ['a zone in the expression', { ScheduleExpression: 'at(2026-11-20T10:10:00Z)' }],
    ['a fraction of a second', { ScheduleExpression: 'at(2026-11-20T10:10:00.5)' }],
    ['a rate', { ScheduleExpression: 'rate(10 minutes)' }],
    ['another time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }],
    ['no flexible window', { FlexibleTimeWindow: undefined }],
    ['a name that is too long', { Name: 'x'.repeat(65) }],
    ['a name with a character that is not allowed', { Name: 'dlv#2' }],
    ['another target', { Target: { ...target, Arn: 'arn:aws:sqs:us-east-1:000000000000:q' } }],
    ['an input that is not JSON', { Target: { ...target, Input: '{' } }],
    ['an input that is not of SendMessage', { Target: { ...target, Input: '{}' } }],
    ['a schedule that stays after it fired', { ActionAfterCompletion: 'NONE' }],
    ['a member that the service does not send', { State: 'DISABLED' }],
    ['a retry policy', { Target: { ...target, RetryPolicy: { MaximumRetryAttempts: 0 } } }],
  ])('CreateSchedule refuses %s', async (_what, overrides) => {
    const refused = client.send(command(overrides));

    await expect(refused).rejects.toThrow(ValidationException);
    expect(await waiting()).toEqual([]);
  });

  it('CreateSchedule refuses a group that does not exist', async () => {
    await expect(client.send(command({ GroupName: 'nowhere' }))).rejects.toThrow(ResourceNotFoundException);
  });
});

it('Scheduler names an operation that it does not serve', async () => {
  const update = client.send(new UpdateScheduleCommand(command().input));

  await expect(update).rejects.toThrow('The local Scheduler does not serve PUT /schedules/dlv_1-2');
});

describe('a due schedule', () => {
  it('a due schedule is retried, more and more slowly, until its message is sent', async () => {
    const onError = vi.fn();
    await restart({ onError });
    sendMessage.mockRejectedValueOnce(new Error('down')).mockRejectedValueOnce(new Error('down'));
    await client.send(command());

    clock.advance(10 * minute);
    await expect.poll(() => onError.mock.calls.length).toBe(1);
    clock.advance(499);
    expect(sendMessage).toHaveBeenCalledTimes(1);
    clock.advance(1);
    await expect.poll(() => onError.mock.calls.length).toBe(2);
    clock.advance(1000);

    expect(sendMessage).toHaveBeenCalledTimes(3);
    await expect.poll(waiting).toEqual([]);
  });

  it('all schedules share one timer, and their calls are bounded in parallel', async () => {
    const finish: (() => void)[] = [];
    sendMessage.mockImplementation(() => new Promise<void>((resolve) => finish.push(resolve)));
    for (let n = 0; n < 50; n += 1) await client.send(command({ Name: `dlv-${n}` }));

    expect(clock.timers.size).toBe(1);
    clock.advance(10 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(32);
    for (const resolve of finish.splice(0)) resolve();
    await expect.poll(() => sendMessage.mock.calls.length).toBe(50);
    for (const resolve of finish.splice(0)) resolve();

    await expect.poll(waiting).toEqual([]);
    expect(clock.timers.size).toBe(0);
  });
});

describe('after a restart', () => {
  it('a restart sends overdue and failed messages at once, and keeps the others for their time', async () => {
    sendMessage.mockRejectedValueOnce(new Error('down'));
    await client.send(command({ Name: 'failed', ScheduleExpression: 'at(2026-11-20T10:01:00)' }));
    await client.send(command({ Name: 'overdue' }));
    await client.send(command({ Name: 'late', ScheduleExpression: 'at(2026-11-20T10:50:00)' }));
    clock.advance(minute);
    await expect.poll(() => sendMessage.mock.calls.length).toBe(1);
    await end();
    clock.time += 29 * minute;

    await begin();

    expect(sendMessage).toHaveBeenCalledTimes(3);
    await expect.poll(waiting).toEqual(['late']);
    clock.advance(20 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(4);
    await expect.poll(waiting).toEqual([]);
    expect((await history()).at(-1)).toEqual({
      name: 'late',
      group: 'retries',
      expression: 'at(2026-11-20T10:50:00)',
      input: JSON.stringify(input),
      created_at: '2026-11-20T10:00:00.000Z',
      fired_at: '2026-11-20T10:50:00.000Z',
    });
  });

  it('a restart applies its time scale to earlier schedules, which wait that many times shorter', async () => {
    await client.send(command());
    await restart({ timeScale: 600 });
    await client.send(command({ Name: 'new', ScheduleExpression: 'at(2026-11-20T10:20:00)' }));

    const sent = [];
    for (const ms of [999, 1, 999, 1]) {
      clock.advance(ms);
      sent.push(sendMessage.mock.calls.length);
    }

    expect(sent).toEqual([0, 1, 1, 2]);
  });

  it('fires the schedules of one delivery now, and says when none waits', async () => {
    await client.send(command());
    await client.send(command({ Name: 'dlv_10-2' }));

    expect([scheduler.fireNow('dlv_1-'), scheduler.fireNow('dlv_2-')]).toEqual([true, false]);

    await expect.poll(waiting).toEqual(['dlv_10-2']);
    expect(sendMessage.mock.calls).toEqual([[input]]);
    expect(scheduler.fireNow('dlv_1-')).toBe(false);
  });

  it('a schedule that was created outlives a killed process', async () => {
    await client.send(command());
    const copy = await temporaryFolder();
    // What the disk has at this moment: a killed process would write nothing more.
    await cp(dir, copy, { recursive: true });

    await restart({ dataFile: join(copy, 'schedules.sqlite') });

    expect(await waiting()).toEqual(['dlv_1-2']);
  });

  it('Scheduler names a data file that it cannot read', async () => {
    const dataFile = join(dir, 'broken.sqlite');
    await writeFile(dataFile, 'nonsense\n'.repeat(100));

    await expect(startScheduler({ port: 0, sendMessage, dataFile })).rejects.toThrow(dataFile);
  });
});
