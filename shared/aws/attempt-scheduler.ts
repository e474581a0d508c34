import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { Clock, ScheduleAttempt } from '#shared/operations/ports.ts';

export type ScheduleTarget = {
  /** Scheduler group that holds the schedules of this deployment. */
  readonly group: string;
  /** Role that EventBridge Scheduler assumes to send the message. */
  readonly roleArn: string;
  readonly queueUrls: Readonly<Record<Lane, string>>;
};

/** The target is the SQS API action: other targets cannot set the message group. */
function sendMessageAction(roleArn: string): string {
  const partition = /^arn:(aws[a-z-]*):iam:/.exec(roleArn)?.[1];
  if (partition === undefined) {
    throw new Error(`Cannot schedule attempts with the role ${roleArn}: give the ARN of an IAM role`);
  }
  return `arn:${partition}:scheduler:::aws-sdk:sqs:sendMessage`;
}

/** Minimum time from now to a schedule, in milliseconds, so that no schedule is created in the past. */
const minAhead = 60_000;

/**
 * Creates the one-shot schedule of an attempt. The name of a schedule contains the delivery and the attempt number, so
 * EventBridge Scheduler refuses a duplicate; that refusal counts as success.
 */
export function scheduleAttempt(client: SchedulerClient, target: ScheduleTarget, now: Clock): ScheduleAttempt {
  return async (due, at, lane) => {
    const dueAt = Math.max(at, now() + minAhead);
    try {
      await client.send(new CreateScheduleCommand(scheduleInput(target, due, dueAt, lane)));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
    }
  };
}

export function scheduleInput(
  target: ScheduleTarget,
  due: DueAttempt,
  dueAt: number,
  lane: Lane,
): CreateScheduleCommandInput {
  return {
    Name: `${due.key.id}-${due.attempt}`,
    GroupName: target.group,
    ScheduleExpression: `at(${wholeSecond(dueAt)})`,
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: sendMessageAction(target.roleArn),
      RoleArn: target.roleArn,
      Input: JSON.stringify({
        QueueUrl: target.queueUrls[lane],
        MessageBody: JSON.stringify(toDeliveryMessage(due)),
        MessageGroupId: due.key.webhookId,
      }),
    },
  };
}

/** Rounded up, so that a schedule never fires before its time. */
function wholeSecond(time: number): string {
  return new Date(Math.ceil(time / 1000) * 1000).toISOString().slice(0, 19);
}
