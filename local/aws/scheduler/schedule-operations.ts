import { isDeepStrictEqual } from 'node:util';
import type { Clock } from './clock.ts';
import { paginate, parse } from './parameters.ts';
import {
  createScheduleSchema,
  parseAtExpression,
  resourceNameSchema,
  type Schedule,
  sendMessageInputSchema,
  sendMessageTarget,
} from './schedule.ts';
import type { ScheduleHistory } from './schedule-history.ts';
import type { ScheduleRunner } from './schedule-runner.ts';
import type { ScheduleGroup, ScheduleStore } from './schedule-store.ts';
import { SchedulerError } from './scheduler-error.ts';

/** What the operations work on, and who they say they are in ARNs. */
export type OperationContext = {
  readonly store: ScheduleStore;
  readonly history: ScheduleHistory;
  readonly runner: ScheduleRunner;
  readonly clock: Clock;
  readonly region: string;
  readonly accountId: string;
};

/** The parts of one call: the name in the path, the query and the JSON body. */
export type Call = { readonly name: string; readonly query: URLSearchParams; readonly body: unknown };

export function createSchedule(context: OperationContext, call: Call): unknown {
  const request = parse(createScheduleSchema, call.body);
  const name = parse(resourceNameSchema, call.name);
  const at = validateExpression(request.ScheduleExpression, request.ScheduleExpressionTimezone);
  validateTarget(request.Target);
  requireGroup(context, request.GroupName);
  const existing = context.store.get(request.GroupName, name);
  const schedule = { ...request, Name: name, createdAt: context.clock.now(), at, firedAt: null };
  if (existing !== undefined) {
    if (isSameCall(existing, schedule)) return { ScheduleArn: scheduleArn(context, existing) };
    throw new SchedulerError('ConflictException', `Schedule ${name} already exists.`);
  }
  if (at <= context.clock.now()) {
    throw new SchedulerError('ValidationException', `${request.ScheduleExpression} is in the past.`);
  }
  context.store.put(schedule);
  context.history.add(schedule);
  context.runner.added(schedule);
  return { ScheduleArn: scheduleArn(context, schedule) };
}

export function getSchedule(context: OperationContext, call: Call): unknown {
  const schedule = requireSchedule(context, call);
  const { createdAt, at: _at, firedAt, ClientToken: _token, ...members } = schedule;
  return {
    ...members,
    Arn: scheduleArn(context, schedule),
    CreationDate: createdAt / 1000,
    LastModificationDate: (firedAt ?? createdAt) / 1000,
  };
}

export function deleteSchedule(context: OperationContext, call: Call): unknown {
  const schedule = requireSchedule(context, call);
  context.store.delete(schedule.GroupName, schedule.Name);
  context.history.mark(schedule, 'deleted_at', context.clock.now());
  return {};
}

export function listSchedules(context: OperationContext, { query }: Call): unknown {
  const group = query.get('ScheduleGroup');
  const state = query.get('State');
  const matching = [...context.store.schedules()]
    .filter((schedule) => (group === null || schedule.GroupName === group) && isNamed(schedule.Name, query))
    .filter((schedule) => state === null || schedule.State === state);
  const { page, next } = paginate(matching, (schedule) => `${schedule.GroupName}/${schedule.Name}`, query);
  const summaries = page.map((schedule) => ({
    Arn: scheduleArn(context, schedule),
    Name: schedule.Name,
    GroupName: schedule.GroupName,
    State: schedule.State,
    CreationDate: schedule.createdAt / 1000,
    LastModificationDate: (schedule.firedAt ?? schedule.createdAt) / 1000,
    Target: { Arn: schedule.Target.Arn },
  }));
  return { Schedules: summaries, ...next };
}

export function createScheduleGroup(context: OperationContext, call: Call): unknown {
  const name = parse(resourceNameSchema, call.name);
  if (context.store.group(name) !== undefined) {
    throw new SchedulerError('ConflictException', `Schedule group ${name} already exists.`);
  }
  const group = { name, createdAt: context.clock.now() };
  context.store.putGroup(group);
  return { ScheduleGroupArn: groupArn(context, name) };
}

export function getScheduleGroup(context: OperationContext, { name }: Call): unknown {
  return describeGroup(context, requireGroup(context, name));
}

export function deleteScheduleGroup(context: OperationContext, { name }: Call): unknown {
  requireGroup(context, name);
  if (name === 'default') throw new SchedulerError('ValidationException', 'The default group stays.');
  context.store.deleteGroup(name);
  return {};
}

export function listScheduleGroups(context: OperationContext, { query }: Call): unknown {
  const matching = [...context.store.groups()].filter(({ name }) => isNamed(name, query));
  const { page, next } = paginate(matching, ({ name }) => name, query);
  return { ScheduleGroups: page.map((group) => describeGroup(context, group)), ...next };
}

function validateExpression(expression: string, timezone: string): number {
  if (timezone !== 'UTC') {
    throw new SchedulerError('ValidationException', `Time zone ${timezone} is not served here: use UTC.`);
  }
  const at = parseAtExpression(expression);
  if (at !== null) return at;
  throw new SchedulerError(
    'ValidationException',
    `Invalid Schedule Expression ${expression}: only at(yyyy-mm-ddThh:mm:ss) is served here.`,
  );
}

function validateTarget({ Arn, Input }: Schedule['Target']): void {
  if (Arn !== sendMessageTarget) {
    throw new SchedulerError(
      'ValidationException',
      `Target ${Arn} is not served here: use ${sendMessageTarget}.`,
    );
  }
  let input: unknown;
  try {
    input = JSON.parse(Input ?? '');
  } catch {
    throw new SchedulerError('ValidationException', 'The Input of the target must be JSON.');
  }
  parse(sendMessageInputSchema, input);
}

/** The SDK puts a token into every call, so only a repeated call carries one that is known. */
function isSameCall(existing: Schedule, schedule: Schedule): boolean {
  if (existing.ClientToken === undefined || existing.ClientToken !== schedule.ClientToken) return false;
  const { createdAt, firedAt } = existing;
  return isDeepStrictEqual(existing, { ...schedule, createdAt, firedAt });
}

function requireSchedule({ store }: OperationContext, { name, query }: Call): Schedule {
  const schedule = store.get(query.get('groupName') ?? 'default', name);
  if (schedule !== undefined) return schedule;
  throw new SchedulerError('ResourceNotFoundException', `Schedule ${name} does not exist.`);
}

function requireGroup({ store }: OperationContext, name: string): ScheduleGroup {
  const group = store.group(name);
  if (group !== undefined) return group;
  throw new SchedulerError('ResourceNotFoundException', `Schedule group ${name} does not exist.`);
}

function describeGroup(context: OperationContext, { name, createdAt }: ScheduleGroup): unknown {
  const date = createdAt / 1000;
  return {
    Arn: groupArn(context, name),
    Name: name,
    State: 'ACTIVE',
    CreationDate: date,
    LastModificationDate: date,
  };
}

function isNamed(name: string, query: URLSearchParams): boolean {
  return name.startsWith(query.get('NamePrefix') ?? '');
}

function scheduleArn({ region, accountId }: OperationContext, schedule: Schedule): string {
  return `arn:aws:scheduler:${region}:${accountId}:schedule/${schedule.GroupName}/${schedule.Name}`;
}

function groupArn({ region, accountId }: OperationContext, name: string): string {
  return `arn:aws:scheduler:${region}:${accountId}:schedule-group/${name}`;
}
