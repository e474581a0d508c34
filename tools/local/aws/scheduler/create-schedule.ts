import { isDeepStrictEqual } from 'node:util';
import { localArn } from '../../template/identities.ts';
import { AwsError, parseInput } from '../aws-api.ts';
import type { Clock } from '../clock.ts';
import { createScheduleSchema, timeOf } from './schedule.ts';
import type { ScheduleStore, WaitingSchedule } from './schedule-store.ts';

/** The schedules of one account and region. */
export type Schedules = {
  readonly store: ScheduleStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Names of the groups that exist. */
  readonly groups: ReadonlySet<string>;
  /** Called for each new schedule, which has to fire. */
  readonly onAdded: (schedule: WaitingSchedule) => void;
};

/**
 * Serves the action CreateSchedule.
 *
 * @throws AwsError
 */
export function createSchedule({ store, clock, groups, onAdded }: Schedules, input: unknown): object {
  const request = parseInput(createScheduleSchema, input);
  const { GroupName, Name, ScheduleExpression } = request;
  if (!groups.has(GroupName)) {
    throw new AwsError('ResourceNotFoundException', `Schedule group ${GroupName} does not exist`, 404);
  }
  const arn = localArn('scheduler', `schedule/${GroupName}/${Name}`);
  const existing = store.find(request)?.request;
  // The SDK sends a token with every call, and the same token when it retries the call.
  if (isDeepStrictEqual(existing, request)) return { ScheduleArn: arn };
  if (existing !== undefined) throw new AwsError('ConflictException', `Schedule ${Name} already exists`, 409);
  if (timeOf(ScheduleExpression) <= clock.now()) {
    throw new AwsError('ValidationException', `${ScheduleExpression} is in the past`);
  }
  onAdded({ id: store.add(request, clock.now()), request });
  return { ScheduleArn: arn };
}
