import { z } from 'zod';

const nameSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[0-9a-zA-Z-_.]+$/);

/** Input of the SQS call that a schedule makes when it is due. */
const sendMessageSchema = z.strictObject({
  QueueUrl: z.string().min(1),
  MessageBody: z.string().min(1),
  MessageGroupId: z.string().min(1).max(128),
});

export type SendMessageInput = z.infer<typeof sendMessageSchema>;

const roleArn = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/;

/** The schedules that the service creates: one-time, in UTC, calling SQS SendMessage, deleted afterwards. */
export const createScheduleSchema = z.strictObject({
  Name: nameSchema,
  GroupName: nameSchema.default('default'),
  ScheduleExpression: z.string().refine((text) => !Number.isNaN(timeOf(text)), {
    error: 'only at(yyyy-mm-ddThh:mm:ss) with a real time is served here',
  }),
  ScheduleExpressionTimezone: z.literal('UTC'),
  FlexibleTimeWindow: z.strictObject({ Mode: z.literal('OFF') }),
  Target: z.strictObject({
    Arn: z.literal('arn:aws:scheduler:::aws-sdk:sqs:sendMessage'),
    RoleArn: z.string().regex(roleArn),
    Input: z.string().refine((text) => isSendMessage(text), { error: 'expected the JSON input of SendMessage' }),
  }),
  ActionAfterCompletion: z.literal('DELETE'),
  ClientToken: z
    .string()
    .max(64)
    .regex(/^[a-zA-Z0-9-_]+$/),
});

export type CreateSchedule = z.infer<typeof createScheduleSchema>;

/**
 * The time of a one-time expression, `at(yyyy-mm-ddThh:mm:ss)`, in epoch milliseconds; `NaN` for any other expression
 * and for a date that does not exist.
 */
export function timeOf(expression: string): number {
  const text = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/.exec(expression)?.[1];
  const at = Date.parse(`${text}Z`);
  // `Date` turns 31 February into a day in March, so only a text that round-trips names a real date.
  return Number.isNaN(at) || new Date(at).toISOString() !== `${text}.000Z` ? Number.NaN : at;
}

/** The message that a schedule sends. */
export function messageOf({ Target }: CreateSchedule): SendMessageInput {
  return sendMessageSchema.parse(JSON.parse(Target.Input));
}

function isSendMessage(text: string): boolean {
  try {
    return sendMessageSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
