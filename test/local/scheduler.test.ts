import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
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
    dataFile: join(dir, 'schedules.sqlite'),
    ...options,
  });
  client = clientOf(scheduler.url);
}

function clientOf(endpoint: string): SchedulerClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SchedulerClient({ endpoint, region: 'us-east-1', credentials });
}

/** A separate program that serves the schedules of a file until it is killed. */
async function beginElsewhere(dataFile: string): Promise<{ program: ChildProcess; url: string }> {
  const module = new URL('../../local/aws/scheduler/start-scheduler.ts', import.meta.url).href;
  const source = `
    import { startScheduler } from ${JSON.stringify(module)};
    const options = { port: 0, groups: ['retries'], sendMessage: async () => {} };
    console.log((await startScheduler({ ...options, dataFile: ${JSON.stringify(dataFile)} })).url);`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [line] = await once(program.stdout, 'data');
  return { program, url: String(line).trim() };
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
  it('CreateSchedule answers with the ARN, and the history has the schedule', async () => {
    const { ScheduleArn } = await client.send(command());

    expect(ScheduleArn).toBe('arn:aws:scheduler:us-east-1:000000000000:schedule/retries/dlv_1-2');
    expect(await history()).toEqual([
      {
        name: 'dlv_1-2',
        group: 'retries',
        expression: 'at(2026-11-20T10:10:00)',
        input: JSON.stringify(input),
        created_at: '2026-11-20T10:00:00.000Z',
        fired_at: null,
      },
    ]);
  });

  it('CreateSchedule refuses a second schedule of a name in its group, but not in another group', async () => {
    await client.send(command());

    await expect(client.send(command())).rejects.toThrow(ConflictException);
    await expect(client.send(command({ GroupName: 'default' }))).resolves.toBeDefined();
  });

  it('CreateSchedule answers a repeated call with the same token again, and refuses a different one', async () => {
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
  it('a due schedule sends its message once, at its time, and frees its name', async () => {
    await client.send(command());

    clock.advance(10 * minute - 1);
    expect(sendMessage).not.toHaveBeenCalled();
    clock.advance(1);

    expect(sendMessage.mock.calls).toEqual([[input]]);
    await expect.poll(waiting).toEqual([]);
    clock.advance(60 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(1);
    expect(await history()).toMatchObject([
      { name: 'dlv_1-2', expression: 'at(2026-11-20T10:10:00)', fired_at: '2026-11-20T10:10:00.000Z' },
    ]);
    const again = client.send(command({ ScheduleExpression: 'at(2026-11-20T12:00:00)' }));
    await expect(again).resolves.toBeDefined();
  });

  it('a schedule waits N times shorter under a time scale of N', async () => {
    await restart({ timeScale: 600 });
    await client.send(command());

    clock.advance(999);
    expect(sendMessage).not.toHaveBeenCalled();
    clock.advance(1);

    expect(sendMessage).toHaveBeenCalledTimes(1);
  });

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
  it('a restart sends overdue messages at once, and keeps the others for their time', async () => {
    await client.send(command({ Name: 'early' }));
    await client.send(command({ Name: 'late', ScheduleExpression: 'at(2026-11-20T10:50:00)' }));
    await end();
    clock.time += 30 * minute;

    await begin();

    expect(sendMessage).toHaveBeenCalledTimes(1);
    await expect.poll(waiting).toEqual(['late']);
    clock.advance(20 * minute);
    expect(sendMessage).toHaveBeenCalledTimes(2);
  });

  it('a restart retries a failed message at once', async () => {
    sendMessage.mockRejectedValue(new Error('down'));
    await client.send(command());
    clock.advance(10 * minute);
    await expect.poll(() => sendMessage.mock.calls.length).toBe(1);
    await end();
    sendMessage.mockResolvedValue({});

    await begin();

    expect(sendMessage).toHaveBeenCalledTimes(2);
    await expect.poll(waiting).toEqual([]);
  });

  it('a restart applies its time scale to earlier schedules', async () => {
    await client.send(command());
    await restart({ timeScale: 600 });

    clock.advance(999);
    expect(sendMessage).not.toHaveBeenCalled();
    clock.advance(1);

    expect(sendMessage).toHaveBeenCalledTimes(1);
  });

  it('a schedule that was created outlives a killed process', async () => {
    const dataFile = join(dir, 'killed', 'schedules.sqlite');
    const { program, url } = await beginElsewhere(dataFile);
    const elsewhere = clientOf(url);
    await elsewhere.send(command({ ScheduleExpression: 'at(2999-01-01T00:00:00)' }));

    program.kill('SIGKILL');
    await once(program, 'exit');
    elsewhere.destroy();
    await restart({ dataFile });

    expect(await waiting()).toEqual(['dlv_1-2']);
  });

  it('Scheduler names a data file that it cannot read', async () => {
    const dataFile = join(dir, 'broken.sqlite');
    await writeFile(dataFile, 'nonsense\n'.repeat(100));

    await expect(startScheduler({ port: 0, sendMessage, dataFile })).rejects.toThrow(dataFile);
  });
});
