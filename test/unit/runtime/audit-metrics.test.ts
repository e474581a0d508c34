import { expect, it } from 'vitest';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import { type Audit, auditEvent } from '#shared/operations/delivery/audit-deliveries.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { useOutput } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { customerId, deliveryIdNumber, hour, startOfTest, webhookId } from '../../support/values/builders.ts';

const stranded: AuditedDelivery = {
  key: { customerId, webhookId, id: deliveryIdNumber(1) },
  status: 'pending',
  createdAt: startOfTest - 8 * hour,
  leaseUntil: null,
  dueAt: null,
};
const found: Audit = {
  from: startOfTest - 9 * hour,
  to: startOfTest - 6 * hour,
  complete: false,
  unfinished: [],
  deliveries: { pending: 6, delivered: 4, failed: 5 },
  pending: { in_flight: 0, waiting: 1, overdue: 3, queued: 0, stranded: 2 },
  oldestPending: null,
  oldestStranded: stranded,
  stranded: [],
  requeued: 0,
  stalledReplays: [{ key: { customerId, webhookId, id: 'rpl_1' }, lastStepAt: startOfTest - 7 * hour }],
};
const calm: Audit = {
  ...found,
  complete: true,
  deliveries: { pending: 0, delivered: 1, failed: 0 },
  pending: { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 0 },
  oldestStranded: null,
  stalledReplays: [],
};

const output = useOutput();

it.each([
  ['what an audit found, as metrics of its stage', found, [6, 3, 2, 8 * 60 * 60, 1, 1]],
  ['zeros when all is well, so that an alarm ends', calm, [0, 0, 0, 0, 0, 0]],
])('the metrics of an audit are %s', (_, audit, values) => {
  report(auditEvent(audit, startOfTest));

  const { data } = readEmbedded(output());
  const [pending, overdue, strandedOnes, oldestAge, stalled, incomplete] = values;
  expect(data.map(({ name, unit, value }) => [name, unit, value])).toEqual([
    ['PendingDeliveries', 'None', pending],
    ['OverdueDeliveries', 'None', overdue],
    ['StrandedDeliveries', 'None', strandedOnes],
    ['OldestStrandedAge', 'Seconds', oldestAge],
    ['StalledReplays', 'None', stalled],
    ['AuditIncomplete', 'None', incomplete],
  ]);
  for (const { namespace, dimensions } of data) {
    expect({ namespace, ...dimensions }).toEqual({ namespace: 'Webhooks', stage: 'test' });
  }
});
