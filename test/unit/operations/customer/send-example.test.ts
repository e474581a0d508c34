import { describe, expect, it } from 'vitest';
import { isHandshake } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type ExampleType, exampleTypes } from '#shared/domain/event.ts';
import { idTime } from '#shared/domain/ids.ts';
import { sendExample } from '#shared/operations/customer/send-example.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { eventBodies } from '../../../../site/openapi/schemas/event-schemas.ts';
import { countingBytes, createJournal, createReports } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildEndpoint, customerId, hour, startOfTest, webhookId } from '../../../support/values/builders.ts';

const now = startOfTest + hour;

function createWorld({
  endpoint,
  enqueue = async () => [],
}: {
  readonly endpoint?: Partial<Endpoint>;
  readonly enqueue?: EnqueueAttempts;
} = {}) {
  const journal = createJournal();
  const { report, events } = createReports();
  const { table, deliveries } = recordStore({
    endpoints: [buildEndpoint(endpoint)],
    asking: (request) => void journal.entries.push(request),
  });
  const queued: Parameters<EnqueueAttempts>[] = [];
  const send = sendExample({
    now: () => now,
    randomBytes: countingBytes(),
    baseUrl: 'https://api.example.com',
    report,
    table,
    enqueueAttempts: journal.note('enqueue', (...given) => {
      queued.push(given);
      return enqueue(...given);
    }),
  });
  const sendOf = (type: ExampleType = 'run.completed') => send(customerId, webhookId, type);
  return { deliveries, queued, steps: journal.entries, events, send: sendOf };
}

describe('sendExample()', () => {
  it('stores the delivery for the sweep before it queues the first attempt', async () => {
    const world = createWorld();

    const delivery = await world.send();

    expect(world.steps).toEqual(['get CUS', 'put DLV', 'enqueue']);
    expect(world.deliveries.get(delivery.id)).toEqual(delivery);
    expect(world.deliveries.dueAt(delivery.id)).toBe(now);
    expect(world.queued).toEqual([[[{ key: { customerId, webhookId, id: delivery.id }, attempt: 1 }], 'ordinary']]);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 0, replayOf: null });
  });

  it.each(exampleTypes)('sends a test event around an event of the type %s that cost nothing', async (type) => {
    const { body, event } = await createWorld().send(type);

    const sent = eventBodies['webhook.test'].parse(JSON.parse(body));
    expect(sent).toMatchObject({ id: event.id, webhook_id: webhookId, links: {} });
    expect(sent.example).toMatchObject({ id: sent.id, created_at: sent.created_at, type, charge_usd: 0 });
    expect(sent.example?.links.run).toBe(`https://api.example.com/v1/runs/${sent.example?.run_id}`);
    expect(event).toMatchObject({ type: 'webhook.test', exampleType: type, runId: null, trackerId: null });
  });

  it('makes a delivery with three attempts, which the list finds by the time of its event', async () => {
    const delivery = await createWorld().send();

    expect(isHandshake(delivery)).toBe(false);
    expect(idTime(delivery.id)).toBe(idTime(delivery.event.id));
  });

  it('sends another event about another Run each time', async () => {
    const world = createWorld();

    const first = await world.send();
    const second = await world.send();

    expect(second.event.id).not.toBe(first.event.id);
    const runs = [first, second].map(({ body }) => JSON.parse(body).example.run_id);
    expect(new Set(runs).size).toBe(2);
  });

  // replay-delivery.test.ts has what happens when the queue refuses.
  it('spreads examples over the partitions of the endpoint, and queues those of a slow one apart', async () => {
    const world = createWorld({ endpoint: { deliveryPartitions: 32, slowSince: now } });

    const { id } = await world.send();

    expect(deliveryPartition(id)).toBe(5);
    expect(world.queued[0]?.[1]).toBe('slow');
  });

  it.each(['failed', 'deleted'] as const)('stores nothing for an endpoint that is %s', async (status) => {
    const world = createWorld({ endpoint: { status } });

    await expect(world.send()).rejects.toMatchObject({ code: 'webhook_not_active' });
    expect(new Set(world.steps)).toEqual(new Set(['get CUS']));
  });
});
