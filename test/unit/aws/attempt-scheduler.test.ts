import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { describe, expect, it } from 'vitest';
import { scheduleAttempt, scheduleInput } from '#shared/aws/attempt-scheduler.ts';
import { planFanOut } from '#shared/domain/fan-out.ts';
import { commandsOf, unexpected, useMock } from '../../support/aws/aws-mocks.ts';
import { buildEndpoint } from '../../support/values/builders.ts';

const now = Date.UTC(2026, 10, 20, 12, 0, 0, 0);
const target = {
  group: 'retries-test',
  roleArn: 'arn:aws:iam::123456789012:role/scheduler',
  queueUrls: {
    ordinary: 'https://sqs.us-east-1.amazonaws.com/123456789012/delivery',
    slow: 'https://sqs.us-east-1.amazonaws.com/123456789012/slow-delivery',
  },
};
const retry = { key: { customerId: 'cus_1', webhookId: 'whe_1', id: 'whd_1' }, attempt: 2 };
const message = { customer_id: 'cus_1', webhook_id: 'whe_1', delivery_id: 'whd_1', attempt: 2 };

const client = new SchedulerClient({ region: 'us-east-1' });
const mock = useMock(client);
const schedule = scheduleAttempt(client, target, () => now);

describe('scheduleAttempt()', () => {
  it('makes a one-shot schedule that is named after the attempt and sends its message', async () => {
    mock.on(CreateScheduleCommand).resolves({});

    await schedule(retry, now + 600_000, 'ordinary');

    const input = {
      Name: 'whd_1-2',
      GroupName: 'retries-test',
      ScheduleExpression: 'at(2026-11-20T12:10:00)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
        RoleArn: target.roleArn,
        Input: JSON.stringify({
          QueueUrl: target.queueUrls.ordinary,
          MessageBody: JSON.stringify(message),
          MessageGroupId: 'whe_1',
        }),
      },
    };
    expect(commandsOf(mock)).toEqual([{ CreateScheduleCommand: input }]);
  });

  it('throws every failure but that of a schedule that exists', async () => {
    await expect(schedule(retry, now + 600_000, 'ordinary')).rejects.toBe(unexpected);
  });

  it.each([
    { name: 'rounds a part of a second up', at: now + 599_001, expression: 'at(2026-11-20T12:10:00)' },
    { name: 'keeps a whole second', at: now + 599_000, expression: 'at(2026-11-20T12:09:59)' },
  ])('$name', ({ at, expression }) => {
    expect(scheduleInput(target, retry, at, 'ordinary').ScheduleExpression).toBe(expression);
  });

  it('names the schedule of each retry after its endpoint and attempt, so that no two share a name', () => {
    const endpoints = [1, 2].map((number) => buildEndpoint({ id: `whe_${number}` }));
    const { deliveries } = planFanOut('cus_1', 'run.completed', 'run_1', endpoints, now);

    const names = deliveries.flatMap(({ deliveryId: id }) =>
      [2, 3].map((attempt) => scheduleInput(target, { key: { ...retry.key, id }, attempt }, now, 'ordinary').Name),
    );

    expect(new Set(names).size).toBe(4);
    // What EventBridge Scheduler accepts.
    for (const name of names) expect(name).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
  });

  it.each(['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc'])('names the action of the partition %s', (partition) => {
    const roleArn = `arn:${partition}:iam::123456789012:role/scheduler`;

    const { Target } = scheduleInput({ ...target, roleArn }, retry, now, 'ordinary');

    const Arn = `arn:${partition}:scheduler:::aws-sdk:sqs:sendMessage`;
    expect(Target).toMatchObject({ RoleArn: roleArn, Arn });
  });

  it.each(['', 'scheduler', 'arn:aws:sqs:us-east-1:123456789012:delivery'])(
    'says that %j is not the ARN of a role',
    (roleArn) => {
      expect(() => scheduleInput({ ...target, roleArn }, retry, now, 'ordinary')).toThrow(
        'give the ARN of an IAM role',
      );
    },
  );
});
