import { describe, expect, it } from 'vitest';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import { planFanOut } from '#shared/domain/fan-out.ts';
import { idTime } from '#shared/domain/ids.ts';
import { storeFanOut } from '#shared/operations/intake/store-fan-out.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  otherWebhookId,
  runBody,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const plan = (...endpoints: Parameters<typeof planFanOut>[3]) =>
  planFanOut(customerId, 'run.completed', 'run_1', endpoints, startOfTest);
const both = plan(buildEndpoint(), buildEndpoint({ id: otherWebhookId }));

describe('planFanOut()', () => {
  it('names one delivery for each active endpoint', () => {
    const planned = plan(
      buildEndpoint(),
      buildEndpoint({ id: 'whe_failed', status: 'failed' }),
      buildEndpoint({ id: 'whe_deleted', status: 'deleted' }),
      buildEndpoint({ id: otherWebhookId }),
    );

    expect(planned).toEqual(both);
    expect(planned.deliveries.map((delivery) => delivery.webhookId)).toEqual([webhookId, otherWebhookId]);
    const ids = planned.deliveries.map(({ deliveryId }) => deliveryId);
    expect(new Set(ids).size).toBe(2);
    expect([planned.eventId, ...ids].map(idTime)).toEqual([startOfTest, startOfTest, startOfTest]);
  });

  it('plans an event without deliveries when there is no active endpoint', () => {
    expect(plan()).toEqual({ eventId: both.eventId, acceptedAt: startOfTest, deliveries: [] });
  });

  it('spreads deliveries over the partitions of their endpoint', () => {
    const endpoint = buildEndpoint({ deliveryPartitions: 32 });
    const partitions = Array.from({ length: 200 }, (_, run) => {
      const planned = planFanOut(customerId, 'run.completed', `run_${run}`, [endpoint], startOfTest);
      return deliveryPartition(planned.deliveries[0]?.deliveryId ?? '');
    });

    expect(new Set(partitions).size).toBeGreaterThan(25);
  });
});

describe('storeFanOut()', () => {
  it('returns only the attempts of deliveries that were not attempted yet', async () => {
    const [first, second] = both.deliveries;
    const { ports } = memoryStore({
      deliveries: [buildDelivery({ id: first?.deliveryId ?? '', attempts: 1 })],
    });

    const due = await storeFanOut(ports.storeDelivery, customerId, both, runBody);

    expect(due.map(({ key }) => key.id)).toEqual([second?.deliveryId]);
  });

  it('stores the bytes of the first delivery for every endpoint, even if this release would write others', async () => {
    const [first] = both.deliveries;
    const earlier = buildDelivery({ id: first?.deliveryId ?? '', body: `${runBody} ` });
    const { ports, deliveries } = memoryStore({ deliveries: [earlier] });

    await storeFanOut(ports.storeDelivery, customerId, both, runBody);

    expect(deliveries.all().map(({ body }) => body)).toEqual([earlier.body, earlier.body]);
    expect(earlier.body).not.toBe(runBody);
  });
});
