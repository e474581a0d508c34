import { z } from 'zod';

const nameSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[0-9a-zA-Z-_.]+$/);

/** Name of a schedule or of a group. */
export const resourceNameSchema = nameSchema;

/** The one target that is served: an SQS SendMessage call whose whole input is written in the schedule. */
export const sendMessageTarget = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

/** Input of the call that a schedule makes when it is due. */
export const sendMessageInputSchema = z.object({
  QueueUrl: z.string().min(1),
  MessageBody: z.string().min(1),
  MessageGroupId: z.string().min(1).max(128).optional(),
  DelaySeconds: z.number().int().min(0).max(900).optional(),
});

export type SendMessageInput = z.infer<typeof sendMessageInputSchema>;

const targetSchema = z.object({
  Arn: z.string(),
  RoleArn: z.string().regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  Input: z.string().optional(),
  RetryPolicy: z
    .object({
      MaximumEventAgeInSeconds: z.number().int().min(60).max(86_400).optional(),
      MaximumRetryAttempts: z.number().int().min(0).max(185).optional(),
    })
    .optional(),
  DeadLetterConfig: z.object({ Arn: z.string().optional() }).optional(),
});

/** Body of CreateSchedule, without the name, which is in the path. */
export const createScheduleSchema = z.object({
  GroupName: nameSchema.default('default'),
  ScheduleExpression: z.string().min(1).max(256),
  ScheduleExpressionTimezone: z.string().min(1).max(50).default('UTC'),
  FlexibleTimeWindow: z.object({
    Mode: z.enum(['OFF', 'FLEXIBLE']),
    MaximumWindowInMinutes: z.number().int().min(1).max(1440).optional(),
  }),
  Target: targetSchema,
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Description: z.string().max(512).optional(),
  ClientToken: z
    .string()
    .max(64)
    .regex(/^[a-zA-Z0-9-_]+$/)
    .optional(),
});

/** One schedule, as it is kept and written to disk. Times are epoch milliseconds. */
export const scheduleSchema = createScheduleSchema.extend({
  Name: nameSchema,
  createdAt: z.number(),
  /** When the expression says it is due. */
  at: z.number(),
  /** When its target was called, for a schedule that stays after that. */
  firedAt: z.number().nullable(),
});

export type Schedule = z.infer<typeof scheduleSchema>;

/** Key of a schedule among all groups. */
export function scheduleKey(group: string, name: string): string {
  return `${group}/${name}`;
}

/**
 * Reads a one-time expression, `at(yyyy-mm-ddThh:mm:ss)`, as UTC.
 *
 * @returns epoch milliseconds, or `null` for any other expression or a date that does not exist.
 */
export function parseAtExpression(expression: string): number | null {
  const text = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/.exec(expression)?.[1];
  if (text === undefined) return null;
  const at = Date.parse(`${text}Z`);
  // `Date` carries 31 February over into March: only a text that comes back unchanged named a real time.
  if (Number.isNaN(at) || new Date(at).toISOString() !== `${text}.000Z`) return null;
  return at;
}

/** When a schedule is due on a clock on which every wait is `timeScale` times shorter. */
export function scaledDueTime(schedule: Schedule, timeScale: number): number {
  return schedule.createdAt + (schedule.at - schedule.createdAt) / timeScale;
}
