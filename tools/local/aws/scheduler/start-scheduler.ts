import { starting } from '../../stack/lifecycle.ts';
import { type AwsCall, AwsError, type RunningService, serveAwsCalls } from '../aws-api.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createSchedule, type Schedules } from './create-schedule.ts';
import { type RunnerDeps, ScheduleRunner } from './schedule-runner.ts';
import { ScheduleStore } from './schedule-store.ts';

export type SchedulerOptions = Pick<RunnerDeps, 'sendMessage'> & {
  /** 0 picks a free port. */
  readonly port: number;
  /** Existing groups besides `default`. */
  readonly groups?: readonly string[];
  /** Factor that shortens every wait. Default 1. */
  readonly timeScale?: number;
  /** File that keeps the schedules after the process ends. Default: in memory. */
  readonly dataFile?: string | undefined;
  readonly clock?: Clock;
  /** Called with the error of each failed SendMessage. */
  readonly onError?: RunnerDeps['onError'];
};

export type RunningScheduler = RunningService & {
  /** `GET` lists waiting schedules and those that fired in this run, with `fired_at`. */
  readonly historyUrl: string;
  /** Fires the waiting schedules whose names begin with a text now. Returns whether there is one. */
  readonly fireNow: (start: string) => boolean;
};

/**
 * Starts a stand-in for EventBridge Scheduler with the one call that the service makes: CreateSchedule for a one-time
 * SendMessage. Sends the schedules of an earlier run when they are due, and overdue ones immediately.
 *
 * @throws Error when the port is in use or the data file is not a database of schedules
 */
export function startScheduler(options: SchedulerOptions): Promise<RunningScheduler> {
  const { clock = systemClock, timeScale = 1, sendMessage, onError = () => {} } = options;
  const groups = new Set(['default', ...(options.groups ?? [])]);
  return starting(async (parts) => {
    const store = new ScheduleStore(options.dataFile, timeScale);
    parts.defer(() => store.close());
    const runner = new ScheduleRunner({ store, clock, sendMessage, onError });
    parts.defer(() => runner.close());
    const schedules = { store, clock, groups, onAdded: () => runner.run() };
    const { url } = parts.use(await serveAwsCalls(options.port, (call) => respond(schedules, call)));
    runner.run();
    const fireNow = (start: string) => {
      const isFound = store.hasten(start, clock.now());
      runner.run();
      return isFound;
    };
    return { url, historyUrl: `${url}/_history`, fireNow };
  });
}

function respond(schedules: Schedules, { request: { method, url = '/' }, body }: AwsCall): unknown {
  if (method === 'GET' && url === '/_history') return schedules.store.history();
  const name = /^\/schedules\/([^/]+)$/.exec(url)?.[1];
  if (method === 'POST' && name !== undefined)
    return createSchedule(schedules, { ...Object(body), Name: decodeURIComponent(name) });
  throw new AwsError('UnknownOperationException', `The local Scheduler does not serve ${method} ${url}`);
}
