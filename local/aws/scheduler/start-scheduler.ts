import { createServer } from 'node:http';
import { type LoopbackServer, listenOnLoopback } from '../../servers/loopback-server.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Schedule } from './schedule.ts';
import { ScheduleHistory } from './schedule-history.ts';
import { ScheduleRunner, type SendMessage } from './schedule-runner.ts';
import { ScheduleStore } from './schedule-store.ts';
import { answerSchedulerCall } from './scheduler-api.ts';

export type SchedulerOptions = {
  /** 0 takes any free one. */
  readonly port: number;
  /** Makes the SQS SendMessage call of a due schedule; a rejection is tried again. */
  readonly sendMessage: SendMessage;
  /** Groups that must exist, besides `default`. */
  readonly groups?: readonly string[];
  /** Every wait is this many times shorter. Default 1. */
  readonly timeScale?: number;
  /** Where schedules outlive the process; without it they end with it. */
  readonly dataFile?: string;
  readonly clock?: Clock;
  readonly region?: string;
  readonly accountId?: string;
  /** Told of each SendMessage that failed. */
  readonly onError?: (schedule: Schedule, error: unknown) => void;
};

export type RunningScheduler = {
  readonly url: string;
  /** `GET` answers every schedule ever created, as far as remembered, with `fired_at`. */
  readonly historyUrl: string;
  close(): Promise<void>;
};

/**
 * Starts a wire-level stand-in for EventBridge Scheduler: one-time UTC schedules whose target is the universal
 * SQS SendMessage. What was left by an earlier run is taken up; what is overdue is sent at once.
 *
 * @throws Error when the port is in use or the data file holds something else.
 */
export async function startScheduler(options: SchedulerOptions): Promise<RunningScheduler> {
  const { clock = systemClock, region = 'us-east-1', accountId = '000000000000' } = options;
  const { sendMessage, timeScale = 1, onError = () => {} } = options;
  const server = createServer();
  // The port comes first: of two that want the same one, the loser must not touch the other's data.
  const listener = await listenOnLoopback(server, options.port);
  const store = await openStore(options.dataFile ?? null, listener);
  const history = new ScheduleHistory();
  const runner = new ScheduleRunner({ store, history, clock, sendMessage, timeScale, onError });
  const context = { store, history, runner, clock, region, accountId };
  ensureGroups(store, ['default', ...(options.groups ?? [])], clock.now());
  for (const schedule of store.schedules()) history.add(schedule);
  server.on('request', (request, response) => void answerSchedulerCall(context, request, response));
  runner.run();
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    url,
    historyUrl: `${url}/_history`,
    close: async () => {
      await listener.close();
      await runner.close();
      store.close();
    },
  };
}

async function openStore(file: string | null, listener: LoopbackServer): Promise<ScheduleStore> {
  try {
    return new ScheduleStore(file);
  } catch (error) {
    await listener.close();
    throw new Error(`The schedules in ${file} cannot be read: repair the file or remove it`, {
      cause: error,
    });
  }
}

function ensureGroups(store: ScheduleStore, names: readonly string[], now: number): void {
  for (const name of names) {
    if (store.group(name) === undefined) store.putGroup({ name, createdAt: now });
  }
}
