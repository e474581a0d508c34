import { Duration } from 'aws-cdk-lib';
import { runbookAnchors } from '../runbook.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { AddAlarm } from './add-alarm.ts';
import { onSilence, type Recurring } from './function-alarms.ts';

/** Alarms for a sweep that does not run, or does not keep up with deliveries whose timer was lost. */
export function watchSweep(add: AddAlarm, sweep: Recurring, metrics: ServiceMetrics): void {
  onSilence(add, 'SweepSilent', sweep, {
    summary: 'No sweep has succeeded for fifteen minutes, so lost retries stay unnoticed',
    runbook: runbookAnchors.sweepSilent,
  });
  add('OverdueDeliveries', {
    metric: metrics.outcome('oldestOverdue', {}, { statistic: 'max', period: sweep.every }),
    threshold: Duration.minutes(30).toMilliseconds(),
    severity: 'ticket',
    summary: 'A delivery was due half an hour before a sweep found it',
    runbook: runbookAnchors.overdueDeliveries,
  });
}

/** Alarms for what the audit finds, and for an audit that does not run or does not finish. */
export function watchAudit(add: AddAlarm, audit: Recurring, metrics: ServiceMetrics): void {
  const options = { statistic: 'max', period: audit.every };
  onSilence(add, 'AuditSilent', audit, {
    summary: 'No audit has succeeded for three hours, so stranded deliveries stay unnoticed',
    runbook: runbookAnchors.auditSilent,
  });
  add('StrandedDeliveries', {
    metric: metrics.outcome('auditStranded', {}, options),
    threshold: 1,
    severity: 'ticket',
    summary: 'The audit found pending deliveries that nothing would have continued',
    runbook: runbookAnchors.strandedDeliveries,
  });
  add('StalledReplays', {
    metric: metrics.outcome('auditStalledReplays', {}, options),
    threshold: 1,
    severity: 'ticket',
    summary: 'The audit found running bulk replays that nothing continues',
    runbook: runbookAnchors.stalledReplays,
  });
  add('AuditIncomplete', {
    metric: metrics.outcome('auditIncomplete', {}, options),
    threshold: 1,
    periods: 3,
    severity: 'ticket',
    summary: 'The audit ran out of time three times in a row',
    runbook: runbookAnchors.auditIncomplete,
  });
}
