import { Duration } from 'aws-cdk-lib';
import type { IntakeBus } from '../../constructs/intake-bus.ts';
import type { Alarms } from '../actionable-alarm.ts';

/** Alarms for events of the bus that did not arrive in the intake queue. */
export function busAlarms(bus: IntakeBus): Alarms {
  const common = {
    threshold: 1,
    severity: 'page',
    runbook: 'events-of-the-bus-do-not-arrive',
  } as const;
  const period = Duration.minutes(1);
  return {
    BusDeadLetters: {
      ...common,
      metric: bus.deadLetterCount(period),
      summary: 'Events of the bus that could not be sent to the intake queue are in a dead-letter queue',
    },
    BusFailedInvocations: {
      ...common,
      metric: bus.failedInvocations(period),
      summary: 'EventBridge could not send events of the bus to the intake queue',
    },
  };
}
