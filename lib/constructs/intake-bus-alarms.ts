import { Duration } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { busRunbookAnchor } from '../runbook.ts';
import { ActionableAlarm } from './actionable-alarm.ts';
import type { IntakeBus } from './intake-bus.ts';

/** Alarms for events of the bus that did not arrive in the intake queue. */
export class IntakeBusAlarms extends Construct {
  readonly all: readonly IAlarm[];

  constructor(scope: Construct, id: string, bus: IntakeBus, topic: ITopic | undefined) {
    super(scope, id);
    const common = { threshold: 1, severity: 'page', runbook: busRunbookAnchor, topic } as const;
    const period = Duration.minutes(1);
    const deadLetters = new ActionableAlarm(this, 'DeadLetters', {
      ...common,
      metric: bus.deadLetterCount(period),
      summary: 'Events of the bus that could not be sent to the intake queue are in a dead-letter queue',
    });
    const failed = new ActionableAlarm(this, 'FailedInvocations', {
      ...common,
      metric: bus.failedInvocations(period),
      summary: 'EventBridge could not send events of the bus to the intake queue',
    });
    this.all = [deadLetters, failed];
  }
}
