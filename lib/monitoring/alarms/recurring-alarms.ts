import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricKey } from '#shared/contract/metrics.ts';
import type { AlarmProps, Alarms } from '../actionable-alarm.ts';
import type { Recurring, WatchedStage } from '../watched-stage.ts';

/** Alarms for a sweep that does not run, or does not keep up with deliveries whose timer was lost. */
export function sweepAlarms({ sweep, metrics }: WatchedStage): Alarms {
  return {
    SweepSilent: {
      ...silence(sweep),
      summary: 'No sweep has succeeded for fifteen minutes, so lost retries stay unnoticed',
      runbook: 'the-sweep-does-not-run',
    },
    OverdueDeliveries: {
      metric: metrics.outcome('oldestOverdue', {}, { statistic: 'max', period: sweep.every }),
      threshold: Duration.minutes(30).toMilliseconds(),
      severity: 'ticket',
      summary: 'A delivery was due half an hour before a sweep found it',
      runbook: 'deliveries-are-overdue',
    },
  };
}

/** Alarms for what the audit finds, and for an audit that does not run or does not finish. */
export function auditAlarms({ audit, metrics }: WatchedStage): Alarms {
  const found = (key: Extract<MetricKey, `audit${string}`>) => ({
    metric: metrics.outcome(key, {}, { statistic: 'max', period: audit.every }),
    threshold: 1,
    severity: 'ticket' as const,
  });
  return {
    AuditSilent: {
      ...silence(audit),
      summary: 'No audit has succeeded for three hours, so stranded deliveries stay unnoticed',
      runbook: 'the-audit-does-not-run',
    },
    StrandedDeliveries: {
      ...found('auditStranded'),
      summary: 'The audit found pending deliveries that nothing would have continued',
      runbook: 'stranded-deliveries',
    },
    StalledReplays: {
      ...found('auditStalledReplays'),
      summary: 'The audit found running bulk replays that nothing continues',
      runbook: 'stalled-bulk-replays',
    },
    AuditIncomplete: {
      ...found('auditIncomplete'),
      periods: 3,
      summary: 'The audit ran out of time three times in a row',
      runbook: 'the-audit-is-not-done-in-time',
    },
  };
}

/** Triggers when the function fails three times in a row or is not invoked. */
function silence({ run, every }: Recurring): Omit<AlarmProps, 'summary' | 'runbook'> {
  const metric = new MathExpression({
    expression: 'invocations - errors',
    usingMetrics: { invocations: run.lambda.metricInvocations(), errors: run.lambda.metricErrors() },
    period: every,
  });
  return { metric, threshold: { minimum: 1 }, periods: 3, severity: 'ticket' };
}
