/** Metrics of our own: what the functions publish and `lib/` sets alarms on. */
export const metricNamespace = 'Webhooks';

/** Dimension `service`, which the metrics library sets. */
export const metricService = 'webhooks';

/** Names the deployment among those of an account. */
export const stageDimension = 'stage';

export const auditMetrics = {
  /** Deliveries looked at that are pending. */
  pending: 'PendingDeliveries',
  /** Those that the sweep should have woken. */
  overdue: 'OverdueDeliveries',
  /** Those that nothing would have woken. */
  stranded: 'StrandedDeliveries',
  /** Seconds since the oldest of those was made; 0 when there is none. */
  oldestStranded: 'OldestStrandedAge',
  /** 1 when there was no time to look at everything, else 0. */
  incomplete: 'AuditIncomplete',
} as const;
