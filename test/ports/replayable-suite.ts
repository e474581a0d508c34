import { beforeEach, expect, it } from 'vitest';
import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  handshakeBody,
  hour,
  runBody,
  startOfTest,
} from '../support/values/builders.ts';

/** What the table owes a bulk replay that looks for deliveries. */
export function replayableSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  beforeEach(() => {
    ports = connect();
  });

  const endpoint = buildEndpoint();
  const [createdAfter, createdBefore] = [startOfTest, startOfTest + hour];
  const read = (after: string | null = null, status: 'failed' | 'delivered' = 'failed', limit = 10) => {
    const job = { id: 'rpl_1', selection: { status, createdAfter, createdBefore } };
    return ports.readReplayable(endpoint, job, { after, limit });
  };
  let made = 0;
  /** Stores a delivery. @returns its id */
  const store = async (given: Partial<Delivery> = {}, at = createdAfter) => {
    made += 1;
    const id = deliveryId(at, digest('replayable', String(made)), endpoint.deliveryPartitions);
    await ports.storeDelivery(buildDelivery({ id, status: 'failed', ...given }), null);
    return id;
  };

  it('readReplayable() finds deliveries of the endpoint, status and time, oldest first, without test events', async () => {
    const newest = await store({}, createdBefore - 1);
    const oldest = await store({}, createdAfter);
    const delivered = await store({ status: 'delivered' });
    await store({ status: 'pending' });
    await store({ body: handshakeBody });
    await store({ webhookId: makeId('webhook', startOfTest, digest('another')) });
    await store({}, createdAfter - 1);
    await store({}, createdBefore);

    const found = await read();

    expect(found.deliveries.map(({ id, status }) => [id, status])).toEqual([
      [oldest, 'failed'],
      [newest, 'failed'],
    ]);
    expect(found.next).toBeNull();
    expect((await read(null, 'delivered')).deliveries.map(({ id }) => id)).toEqual([delivered]);
  });

  it('readReplayable() finds deliveries by the type of their event, by how they went, and by their ids', async () => {
    const body = runBody.replace('run.completed', 'tracker.changed');
    const changed = await store({ body });
    const failedBy = (...entry: Parameters<typeof buildLogEntry>) =>
      store({ log: [buildLogEntry({ responseStatus: 404 }), buildLogEntry(...entry)] });
    const broken = await failedBy({ responseStatus: 503 });
    const late = await failedBy({ outcome: 'timed_out', responseStatus: null });
    await store({ status: 'delivered' });
    const idsOf = async (filter: Partial<ReplaySelection>) => {
      const job = { selection: { status: 'failed', createdAfter, createdBefore, ...filter } as const };
      const { deliveries } = await ports.readReplayable(endpoint, job, { after: null, limit: 10 });
      return deliveries.map(({ id }) => id);
    };

    expect(await idsOf({ eventType: 'tracker.changed' })).toEqual([changed]);
    expect(await idsOf({ response: '5xx' })).toEqual([broken]);
    expect(await idsOf({ response: '4xx' })).toEqual([]);
    expect(await idsOf({ response: 'timed_out' })).toEqual([late]);
    expect(await idsOf({ response: 'none' })).toEqual([late]);
    expect(await idsOf({ deliveryIds: [late, changed] })).toEqual([changed, late].toSorted());
    expect(await idsOf({ deliveryIds: [late, changed], response: 'none' })).toEqual([late]);
  });

  it('readReplayable() finds each delivery once over all pages, and none of another status', async () => {
    const ids: string[] = [];
    for (const second of [0, 1, 2, 3]) {
      ids.push(await store({}, createdAfter + second * 1000));
      await store({ status: 'delivered' }, createdAfter + second * 1000 + 1);
    }

    const found: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await read(after ?? null, 'failed', 3);
      found.push(...page.deliveries.map(({ id }) => id));
      after = page.next;
    }

    expect(found).toEqual(ids);
  });
}
