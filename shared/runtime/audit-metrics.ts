import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { auditMetrics, metricNamespace, metricService, stageDimension } from '#shared/contract/metrics.ts';
import type { Audit } from '#shared/operations/delivery/audit-deliveries.ts';
import { setting } from './environment.ts';

const metrics = new Metrics({
  namespace: metricNamespace,
  serviceName: metricService,
  defaultDimensions: { [stageDimension]: setting('stage') },
});

/** @param now epoch milliseconds */
export function publishAudit(audit: Audit, now: number): void {
  const { deliveries, pending, oldestStranded, stalledReplays, complete } = audit;
  const age = oldestStranded === null ? 0 : Math.round((now - oldestStranded.createdAt) / 1000);
  metrics.addMetric(auditMetrics.pending, MetricUnit.Count, deliveries.pending);
  metrics.addMetric(auditMetrics.overdue, MetricUnit.Count, pending.overdue);
  metrics.addMetric(auditMetrics.stranded, MetricUnit.Count, pending.stranded);
  metrics.addMetric(auditMetrics.oldestStranded, MetricUnit.Seconds, age);
  metrics.addMetric(auditMetrics.stalledReplays, MetricUnit.Count, stalledReplays.length);
  metrics.addMetric(auditMetrics.incomplete, MetricUnit.Count, complete ? 0 : 1);
  metrics.publishStoredMetrics();
}
