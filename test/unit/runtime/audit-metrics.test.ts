import { describe, expect, it, vi } from 'vitest';
import type { Audit } from '#shared/operations/delivery/audit-deliveries.ts';
import { publishAudit } from '#shared/runtime/audit-metrics.ts';
import { captureOutput } from '../../support/aws/lambda-events.ts';
import { customerId, hour, startOfTest, webhookId } from '../../support/values/builders.ts';

const calm: Audit = {
  from: 0,
  to: 0,
  complete: true,
  unfinished: [],
  deliveries: { pending: 0, delivered: 5, failed: 1 },
  pending: { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 0 },
  oldestPending: null,
  oldestStranded: null,
  stranded: [],
  woken: 0,
  stalledReplays: [],
};
const key = { customerId, webhookId, id: 'whd_1' };
const stranded = { key, status: 'pending', leaseUntil: null, dueAt: null } as const;

function publish(audit: Audit): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
  const output = captureOutput();
  publishAudit(audit, startOfTest);
  vi.useRealTimers();
  return JSON.parse(output());
}

describe('publishAudit()', () => {
  it('publishes what an audit found as metrics of its stage', () => {
    const found: Audit = {
      ...calm,
      complete: false,
      deliveries: { ...calm.deliveries, pending: 7 },
      pending: { ...calm.pending, overdue: 3, stranded: 2 },
      oldestStranded: { ...stranded, createdAt: startOfTest - 8 * hour },
      stalledReplays: [{ key: { ...key, id: 'rpl_1' }, lastStepAt: 0 }],
    };

    const count = (Name: string) => ({ Name, Unit: 'Count' });
    expect(publish(found)).toEqual({
      _aws: {
        Timestamp: startOfTest,
        CloudWatchMetrics: [
          {
            Namespace: 'Webhooks',
            Dimensions: [['service', 'stage']],
            Metrics: [
              count('PendingDeliveries'),
              count('OverdueDeliveries'),
              count('StrandedDeliveries'),
              { Name: 'OldestStrandedAge', Unit: 'Seconds' },
              count('StalledReplays'),
              count('AuditIncomplete'),
            ],
          },
        ],
      },
      service: 'webhooks',
      stage: 'test',
      PendingDeliveries: 7,
      OverdueDeliveries: 3,
      StrandedDeliveries: 2,
      OldestStrandedAge: 8 * 60 * 60,
      StalledReplays: 1,
      AuditIncomplete: 1,
    });
  });

  it('publishes zeros when all is well, so that an alarm ends', () => {
    expect(publish(calm)).toMatchObject({
      PendingDeliveries: 0,
      OverdueDeliveries: 0,
      StrandedDeliveries: 0,
      OldestStrandedAge: 0,
      StalledReplays: 0,
      AuditIncomplete: 0,
    });
  });
});
