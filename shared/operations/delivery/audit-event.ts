import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import type { Audit } from './audit-deliveries.ts';

/** What a finished audit logs and measures. @param now epoch milliseconds */
export function auditEvent(audit: Audit, now: number): TelemetryEvent {
  const { deliveries, pending, requeued, stalledReplays, oldestStranded, complete, unfinished } = audit;
  return {
    name: 'audit.done',
    deliveries,
    pending,
    requeued,
    stalledReplays: stalledReplays.length,
    oldestStranded: oldestStranded === null ? 0 : Math.round((now - oldestStranded.createdAt) / 1_000),
    complete,
    unfinished,
  };
}
