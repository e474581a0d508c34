import type { ActionableAlarmProps } from '../actionable-alarm.ts';

/** Creates an alarm that reaches the operator. */
export type AddAlarm = (id: string, props: Omit<ActionableAlarmProps, 'topic'>) => void;

/** The text of one alarm. */
export type AlarmText = Pick<ActionableAlarmProps, 'summary' | 'runbook'>;
