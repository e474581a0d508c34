import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../local/aws/scheduler/clock.ts';
import {
  type RunningScheduler,
  type SchedulerOptions,
  startScheduler,
} from '../../local/aws/scheduler/start-scheduler.ts';

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
    fired_at: z.string().nullable(),
    deleted_at: z.string().nullable(),
    gave_up_at: z.string().nullable(),
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
  dir = await mkdtemp(join(tmpdir(), 'scheduler-'));
  await begin();
});
afterEach(async () => {
  await end();
  await rm(dir, { recursive: true });
});

async function begin(options: Partial<SchedulerOptions> = {}): Promise<void> {
  scheduler = await startScheduler({
    port: 0,
    sendMessage,
    clock,
    groups: ['retries'],
    dataFile: join(dir, 'schedules.log'),
    ...options,
  });
  client = new SchedulerClient({
    endpoint: scheduler.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

async function end(): Promise<void> {
  client.destroy();
  await scheduler.close();
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

async function names(): Promise<(string | undefined)[]> {
  const { Schedules = [] } = await client.send(new ListSchedulesCommand({ GroupName: 'retries' }));
  return Schedules.map(({ Name }) => Name);
}

describe('CreateSchedule', () => {
  it('answers with the ARN and shows the schedule afterwards', async () => {
    const { ScheduleArn } = await client.send(command());

    const shown = await client.send(new GetScheduleCommand({ Name: 'dlv_1-2', GroupName: 'retries' }));

    expect(ScheduleArn).toBe('arn:aws:scheduler:us-east-1:000000000000:schedule/retries/dlv_1-2');
    expect(shown).toMatchObject({
      Arn: ScheduleArn,
      ScheduleExpression: 'at(2026-11-20T10:10:00)',
      ScheduleExpressionTimezone: 'UTC',
      CreationDate: new Date(start),
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      Target: { Input: JSON.stringify(input) },
    });
    expect(await names()).toEqual(['dlv_1-2']);
  });

  it('refuses a second one of the same name in the group, and takes it in another group', async () => {
    await client.send(command());

    await expect(client.send(command())).rejects.toThrow(ConflictException);
    await expect(client.send(command({ GroupName: 'default' }))).resolves.toBeDefined();
  });

  it('answers a repeated call with the same token alike, but not a different one', async () => {
    const first = await client.send(command({ ClientToken: 'token-1' }));
    clock.advance(1000);

    const second = await client.send(command({ ClientToken: 'token-1' }));
    const changed = client.send(
      command({ ClientToken: 'token-1', ScheduleExpression: 'at(2026-11-20T10:11:00)' }),
    );

    expect(second.ScheduleArn).toBe(first.ScheduleArn);
    await expect(changed).rejects.toThrow(ConflictException);
    expect(await history()).toHaveLength(1);
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
  ])('refuses %s', async (_what, overrides) => {
    const refused = client.send(command(overrides));

    await expect(refused).rejects.toThrow(ValidationException);
    expect(await names()).toEqual([]);
  });

  it('refuses a group that does not exist', async () => {
    await expect(client.send(command({ GroupName: 'nowhere' }))).rejects.toThrow(ResourceNotFoundException);
  });
});

describe('other operations', () => {
  it('deletes a schedule, which then never fires', async () => {
    await client.send(command());

    await client.send(new DeleteScheduleCommand({ Name: 'dlv_1-2', GroupName: 'retries' }));
    clock.advance(20 * minute);

    expect(sendMessage).not.toHaveBeenCalled();
    expect((await history())[0]).toMatchObject({ fired_at: null, deleted_at: '2026-11-20T10:00:00.000Z' });
    const again = client.send(new DeleteScheduleCommand({ Name: 'dlv_1-2', GroupName: 'retries' }));
    await expect(again).rejects.toThrow(ResourceNotFoundException);
  });

  it('lists page by page', async () => {
    for (const n of [3, 1, 2]) await client.send(command({ Name: `dlv-${n}` }));
    await client.send(command({ Name: 'other' }));

    const first = await client.send(new ListSchedulesCommand({ NamePrefix: 'dlv', MaxResults: 2 }));
    const second = await client.send(
      new ListSchedulesCommand({ NamePrefix: 'dlv', MaxResults: 2, NextToken: first.NextToken }),
    );

    expect(first.Schedules?.map(({ Name }) => Name)).toEqual(['dlv-1', 'dlv-2']);
    expect(second.Schedules?.map(({ Name }) => Name)).toEqual(['dlv-3']);
    expect(second.NextToken).toBeUndefined();
  });

  it('makes a group once', async () => {
    await client.send(new CreateScheduleGroupCommand({ Name: 'mine' }));

    const groups = await client.send(new ListScheduleGroupsCommand({}));

    expect(groups.ScheduleGroups?.map(({ Name }) => Name)).toEqual(['default', 'mine', 'retries']);
    await expect(client.send(new CreateScheduleGroupCommand({ Name: 'mine' }))).rejects.toThrow(
      ConflictException,
    );
  });

  it('names the operation that it does not serve', async () => {
    const update = client.send(new UpdateScheduleCommand(command().input));

    await expect(update).rejects.toThrow('The local Scheduler does not serve UpdateSchedule');
  });
});

describe('a due schedule', () => {
  it('sends its message once, at its time, and deletes itself', async () => {
    await client.send(command());

    clock.advance(10 * minute - 1);
    expect(sendMessage).not.toHaveBeenCalled();
    clock.advance(1);

    expect(sendMessage.mock.calls).toEqual([[input]]);
    await expect.poll(names).toEqual([]);
    clock.advance(60 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(1);
    expect(await history()).toMatchObject([
      { name: 'dlv_1-2', expression: 'at(2026-11-20T10:10:00)', fired_at: '2026-11-20T10:10:00.000Z' },
    ]);
  });

  it('stays when it is not told to delete itself, and still fires only once', async () => {
    await client.send(command({ ActionAfterCompletion: 'NONE' }));

    clock.advance(10 * minute);
    await expect.poll(async () => (await history())[0]?.fired_at).not.toBeNull();
    await restart();
    clock.advance(60 * minute);

    expect(await names()).toEqual(['dlv_1-2']);
    expect(sendMessage).toHaveBeenCalledTimes(1);
  });

  it('waits N times shorter under a time scale of N', async () => {
    await restart({ timeScale: 600 });
    await client.send(command());

    clock.advance(999);
    expect(sendMessage).not.toHaveBeenCalled();
    clock.advance(1);

    expect(sendMessage).toHaveBeenCalledTimes(1);
  });

  it('tries again, more and more slowly, until the message is taken', async () => {
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
    await expect.poll(names).toEqual([]);
  });

  it('gives up after the attempts of its retry policy', async () => {
    sendMessage.mockRejectedValue(new Error('down'));
    await client.send(command({ Target: { ...target, RetryPolicy: { MaximumRetryAttempts: 0 } } }));

    clock.advance(10 * minute);

    await expect.poll(names).toEqual([]);
    expect((await history())[0]).toMatchObject({ fired_at: null, gave_up_at: '2026-11-20T10:10:00.000Z' });
  });

  it('uses one timer for any number of schedules, and calls in bounded parallel', async () => {
    const finish: (() => void)[] = [];
    sendMessage.mockImplementation(() => new Promise<void>((resolve) => finish.push(resolve)));
    for (let n = 0; n < 50; n += 1) await client.send(command({ Name: `dlv-${n}` }));

    expect(clock.timers.size).toBe(1);
    clock.advance(10 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(32);
    for (const resolve of finish.splice(0)) resolve();
    await expect.poll(() => sendMessage.mock.calls.length).toBe(50);
    for (const resolve of finish.splice(0)) resolve();

    await expect.poll(names).toEqual([]);
    expect(clock.timers.size).toBe(0);
  });
});

describe('after a restart', () => {
  it('sends at once what became due meanwhile, and keeps the rest for its time', async () => {
    await client.send(command({ Name: 'early' }));
    await client.send(command({ Name: 'late', ScheduleExpression: 'at(2026-11-20T10:50:00)' }));
    await end();
    clock.time += 30 * minute;

    await begin();

    expect(sendMessage).toHaveBeenCalledTimes(1);
    await expect.poll(names).toEqual(['late']);
    clock.advance(20 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(2);
  });

  it('has on disk what it answered, as soon as it answered', async () => {
    await client.send(command());

    const log = await readFile(join(dir, 'schedules.log'), 'utf8');

    expect(log).toContain('"Name":"dlv_1-2"');
    expect(log.endsWith('\n')).toBe(true);
  });

  it('leaves out a last line that a crash tore', async () => {
    await client.send(command());
    await end();
    await appendFile(join(dir, 'schedules.log'), '{"schedule":{"Name":"to');

    await begin();

    expect(await names()).toEqual(['dlv_1-2']);
  });

  it('names a data file that it cannot read', async () => {
    const dataFile = join(dir, 'broken.log');
    await appendFile(dataFile, 'nonsense\n');

    await expect(startScheduler({ port: 0, sendMessage, dataFile })).rejects.toThrow(dataFile);
  });
});
