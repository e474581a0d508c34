import { afterEach, describe, expect, it, vi } from 'vitest';
import { auditMetrics } from '#shared/contract/metrics.ts';
import type { AuditedDelivery, AuditedReplay } from '#shared/domain/progress.ts';
import type { Audit } from '#shared/operations/delivery/audit-deliveries.ts';
import { publishAudit } from '#shared/runtime/audit-metrics.ts';
import { captureOutput } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { customerId, deliveryIdNumber, hour, startOfTest, webhookId } from '../../support/values/builders.ts';

const calm: Audit = {
  from: startOfTest - 9 * hour,
  to: startOfTest - 6 * hour,
  complete: true,
  unfinished: [],
  deliveries: { pending: 0, delivered: 1, failed: 0 },
  pending: { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 0 },
  oldestPending: null,
  oldestStranded: null,
  stranded: [],
  woken: 0,
  stalledReplays: [],
};
const keyOf = (id: string) => ({ customerId, webhookId, id });
const stranded: AuditedDelivery = {
  key: keyOf(deliveryIdNumber(1)),
  status: 'pending',
  createdAt: startOfTest - 8 * hour,
  leaseUntil: null,
  dueAt: null,
};
const replay: AuditedReplay = { key: keyOf('rpl_1'), lastStepAt: startOfTest - 7 * hour };

afterEach(() => {
  vi.restoreAllMocks();
});

/** What CloudWatch takes out of the line of an audit. */
function published(audit: Audit) {
  const output = captureOutput();
  publishAudit(audit, startOfTest);
  return readEmbedded(output()).data.map(({ at: _, ...datum }) => datum);
}

const metric = (name: string, value: number, unit = 'Count') => ({
  namespace: 'Webhooks',
  name,
  unit,
  dimensions: { service: 'webhooks', stage: 'test' },
  value,
});

describe('publishAudit()', () => {
  it('publishes what an audit found, as metrics of its stage', () => {
    const found: Audit = {
      ...calm,
      complete: false,
      deliveries: { pending: 6, delivered: 4, failed: 5 },
      pending: { in_flight: 0, waiting: 1, overdue: 3, queued: 0, stranded: 2 },
      oldestStranded: stranded,
      stalledReplays: [replay],
    };

    expect(published(found)).toEqual([
      metric('PendingDeliveries', 6),
      metric('OverdueDeliveries', 3),
      metric('StrandedDeliveries', 2),
      metric('OldestStrandedAge', 8 * 60 * 60, 'Seconds'),
      metric('StalledReplays', 1),
      metric('AuditIncomplete', 1),
    ]);
  });

  it('publishes zeros when all is well, so that an alarm ends', () => {
    expect(published(calm).map(({ value }) => value)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('publishes every metric of the audit', () => {
    expect(published(calm).map(({ name }) => name)).toEqual(Object.values(auditMetrics));
  });
});
