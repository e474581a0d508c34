import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { flagText, numberText } from './setting-texts.ts';

export type Monitoring = {
  /** Address that receives every alarm. Default: alarms show in CloudWatch only. */
  readonly alarmEmail: string | undefined;
  /** Whether the stage has a dashboard in CloudWatch. Default true. */
  readonly dashboard: boolean;
  /** Log retention in days. Default 30. */
  readonly logRetentionDays: RetentionDays;
};

const retentionDays = Object.values(RetentionDays).filter(isFiniteRetention);

export const monitoringSettings = {
  alarmEmail: z.email().optional(),
  dashboard: flagText.default(true),
  logRetentionDays: numberText
    .refine((days) => retentionDays.includes(days))
    .default(RetentionDays.ONE_MONTH),
};

export const expectedMonitoring: Readonly<Record<keyof Monitoring, string>> = {
  alarmEmail: 'an email address',
  dashboard: 'true or false',
  logRetentionDays: `one of ${retentionDays.join(', ')}`,
};

type Given = Omit<Monitoring, 'alarmEmail'> & { readonly alarmEmail?: string | undefined };

export function monitoringOf({ alarmEmail, dashboard, logRetentionDays }: Given): Monitoring {
  return { alarmEmail, dashboard, logRetentionDays };
}

function isFiniteRetention(value: string | RetentionDays): value is RetentionDays {
  return typeof value === 'number' && value !== RetentionDays.INFINITE;
}
