import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { dimensionValues } from '#shared/contract/metrics.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import { graph, percentiles, period, question, sum } from './section.ts';

/** Whether deliveries reach their endpoints, and how fast. */
export function eventsOut(metrics: ServiceMetrics): IWidget[][] {
  const attempts = dimensionValues.outcome_class.map((outcome) =>
    metrics.outcome('attempts', { outcome_class: outcome }, { ...sum, label: outcome }),
  );
  const ended = dimensionValues.status.map((status) =>
    metrics.outcome('deliveriesEnded', { status }, { ...sum, label: status }),
  );
  const latency = metrics.outcome('firstPostLatency', {}, { period });
  const duration = metrics.outcome('attemptDuration', {}, { period });
  return [
    [
      question(
        'Do they go out?',
        'Most attempts are 2xx, and most deliveries end delivered. dns, connect and tls that rise together point to the service.',
        ['our-egress-or-dns-is-down', 'receivers-fail', 'a-customer-says-nothing-came'],
      ),
    ],
    [
      graph('Attempts, by outcome', 4, { left: attempts, stacked: true }),
      graph('Deliveries ended, by status', 4, { left: ended, stacked: true }),
      graph('Milliseconds from event to first POST', 4, { left: percentiles(latency) }),
      graph('Milliseconds of an attempt', 4, { left: percentiles(duration) }),
    ],
  ];
}
