import { describe } from 'vitest';
import { scheduleAttempt } from '#shared/aws/attempt-scheduler.ts';
import { connectSchedules } from '#shared/aws/clients.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { Clock } from '../../tools/local/aws/scheduler/schedule-runner.ts';
import { startScheduler } from '../../tools/local/aws/scheduler/start-scheduler.ts';
import { Timeline } from '../simulation/world/timeline.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { immediateIo } from '../support/memory/io.ts';
import * as memory from '../support/memory/scheduler.ts';
import { type SchedulerPorts, schedulerSuite, startOfSchedules } from './scheduler-suite.ts';

describe('the scheduler in memory', () => schedulerSuite(memoryScheduler));
describe('the stand-in for EventBridge Scheduler', () => schedulerSuite(localScheduler));

const queueUrls = { ordinary: 'http://127.0.0.1/queue', slow: 'http://127.0.0.1/slow-queue' };

const noneSent = (): Record<Lane, string[]> => ({ ordinary: [], slow: [] });

function memoryScheduler(): SchedulerPorts {
  const timeline = new Timeline(startOfSchedules);
  const sent = noneSent();
  const scheduler: memory.MemoryScheduler = new memory.MemoryScheduler((name, body, dueAt, lane) =>
    timeline.at(dueAt, () => {
      scheduler.complete(name);
      sent[lane].push(body);
    }),
  );
  return {
    scheduleAttempt: memory.scheduleAttempt(scheduler, immediateIo, () => timeline.now),
    pass: (ms) => timeline.advanceTo(timeline.now + ms),
    sent: (lane = 'ordinary') => sent[lane],
    close: async () => {},
  };
}

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

function clockOf(timeline: Timeline): Clock {
  return {
    now: () => timeline.now,
    setTimer: (callback, delayMs) => {
      let isSet = true;
      timeline.after(delayMs, () => {
        if (isSet) callback();
      });
      return () => {
        isSet = false;
      };
    },
  };
}
