import { isDeepStrictEqual } from 'node:util';
import { starting } from '../../stack/lifecycle.ts';
import { localArn } from '../../template/identities.ts';
import { type AwsCall, AwsError, parseInput, type RunningService, serveAwsCalls } from '../aws-api.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createScheduleSchema, timeOf } from './schedule.ts';
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

type Context = {
  readonly store: ScheduleStore;
  readonly runner: ScheduleRunner;
  readonly clock: Clock;
  readonly groups: ReadonlySet<string>;
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
    const context = { store, runner, clock, groups };
    const { url } = parts.use(await serveAwsCalls(options.port, (call) => respond(context, call)));
    runner.run();
    const fireNow = (start: string) => {
      const isFound = store.hasten(start, clock.now());
      runner.run();
      return isFound;
    };
    return { url, historyUrl: `${url}/_history`, fireNow };
  });
}

function respond(context: Context, { request: { method, url = '/' }, body }: AwsCall): unknown {
  if (method === 'GET' && url === '/_history') return context.store.history();
  const name = /^\/schedules\/([^/]+)$/.exec(url)?.[1];
  if (method === 'POST' && name !== undefined) return createSchedule(context, decodeURIComponent(name), body);
  throw new AwsError('UnknownOperationException', `The local Scheduler does not serve ${method} ${url}`);
}

function createSchedule({ store, runner, clock, groups }: Context, name: string, body: unknown): object {
  const request = parseInput(createScheduleSchema, { ...Object(body), Name: name });
  const { GroupName, ScheduleExpression } = request;
  if (!groups.has(GroupName)) {
    throw new AwsError('ResourceNotFoundException', `Schedule group ${GroupName} does not exist`, 404);
  }
  const arn = localArn('scheduler', `schedule/${GroupName}/${name}`);
  const existing = store.find(request)?.request;
  // The SDK sends a token with every call, and the same token when it retries the call.
  if (isDeepStrictEqual(existing, request)) return { ScheduleArn: arn };
  if (existing !== undefined) throw new AwsError('ConflictException', `Schedule ${name} already exists`, 409);
  if (timeOf(ScheduleExpression) <= clock.now()) {
    throw new AwsError('ValidationException', `${ScheduleExpression} is in the past`);
  }
  store.add(request, clock.now());
  runner.run();
  return { ScheduleArn: arn };
}
