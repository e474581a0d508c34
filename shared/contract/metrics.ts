/** The service's own metrics, which functions publish and `lib/` sets alarms on. */
export const metricNamespace = 'Webhooks';

/** Value of the dimension `service`, which the metrics library sets. */
export const metricService = 'webhooks';

/** Dimension that names the deployment. */
export const stageDimension = 'stage';

export const auditMetrics = {
  /** Audited deliveries that are pending. */
  pending: 'PendingDeliveries',
  /** Pending deliveries that the sweep should have queued. */
  overdue: 'OverdueDeliveries',
  /** Pending deliveries that no worker, message or sweep would continue. */
  stranded: 'StrandedDeliveries',
  /** Age in seconds of the oldest stranded delivery; 0 when there is none. */
  oldestStranded: 'OldestStrandedAge',
  /** 1 when the audit ran out of time, else 0. */
  incomplete: 'AuditIncomplete',
} as const;
