import { Duration } from 'aws-cdk-lib';
import type { IntakeBus } from '../../constructs/intake-bus.ts';
import { busRunbookAnchor } from '../runbook.ts';
import type { AddAlarm } from './add-alarm.ts';

/** Alarms for events of the bus that did not arrive in the intake queue. */
export function watchBus(add: AddAlarm, bus: IntakeBus): void {
  const common = { threshold: 1, severity: 'page', runbook: busRunbookAnchor } as const;
  const period = Duration.minutes(1);
  add('BusDeadLetters', {
    ...common,
    metric: bus.deadLetterCount(period),
    summary: 'Events of the bus that could not be sent to the intake queue are in a dead-letter queue',
  });
  add('BusFailedInvocations', {
    ...common,
    metric: bus.failedInvocations(period),
    summary: 'EventBridge could not send events of the bus to the intake queue',
  });
}
