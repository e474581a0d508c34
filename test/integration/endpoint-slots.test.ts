import { describe, expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { listEndpointsSince, readAuditedReplay } from '#shared/aws/table/deliveries/audit-reads.ts';
import { toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { deleteEndpoint, reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import {
  activateEndpoint,
  listLiveEndpoints,
  raisePartitions,
  readEndpoint,
} from '#shared/aws/table/endpoints/endpoints.ts';
import { earlierTombstoneKey, slotsKey } from '#shared/aws/table/keys.ts';
import { storeBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { losingTable } from '../support/aws/losing-table.ts';
import { useTable } from '../support/aws/table.ts';
import {
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';

const { current } = useTable();

const endpoint = buildEndpoint({ status: 'failed', activatedAt: null });
const register = (table: Table = current(), id = webhookId) => {
  const claim = { fencingToken: 'handshake', leaseUntil: startOfTest + 30_000 };
  const handshake = buildDelivery({ webhookId: id, attempts: 1, claim });
  return reserveEndpoint(table, { ...endpoint, id }, handshake);
};

it('a registration whose answer was lost is done once', async () => {
  const { table, lost } = losingTable(current(), 'TransactWriteItems');

  expect(await register(table)).toBe('reserved');

  expect(lost()).toBe(1);
  expect(await listLiveEndpoints(current(), customerId)).toEqual([endpoint]);
});

it('a deletion whose answer was lost is done once', async () => {
  await register();
  const { table, lost } = losingTable(current(), 'TransactWriteItems');

  expect(await deleteEndpoint(table, customerId, endpoint.id, startOfTest)).toBe(true);

  expect(lost()).toBe(1);
  expect(await readEndpoint(current(), customerId, endpoint.id)).toMatchObject({ status: 'deleted' });
});

it.each([
  ['spread', () => raisePartitions(current(), customerId, endpoint.id, 8), { deliveryPartitions: 8 }],
  [
    'activated',
    () => activateEndpoint(current(), customerId, endpoint.id, startOfTest),
    { status: 'deleted', activatedAt: startOfTest },
  ],
])(
  'a deletion leaves a tombstone of the endpoint as it was then, although it was %s after it was read',
  async (_, change, shown) => {
    await register();
    const { client } = current();
    let reads = 0;
    const get: typeof client.get = async (input) => {
      const read = await client.get(input);
      reads += 1;
      if (reads === 1) await change();
      return read;
    };

    const changing = { ...current(), client: { ...client, get } };

    expect(await deleteEndpoint(changing, customerId, endpoint.id, startOfTest)).toBe(true);
    expect(await readEndpoint(current(), customerId, endpoint.id)).toMatchObject(shown);
  },
);

it('tombstones of earlier releases stay readable, and are no live endpoints', async () => {
  const { secret: _, ...kept } = toEndpointItem(endpoint);
  const tombstone = { ...earlierTombstoneKey(customerId, endpoint.id), ...kept, status: 'deleted' };
  const slots = { ...slotsKey(customerId), webhooks: new Set([endpoint.id]) };
  await current().putItems([tombstone, slots]);

  expect(await readEndpoint(current(), customerId, endpoint.id)).toMatchObject({
    id: endpoint.id,
    status: 'deleted',
  });
  expect(await listEndpointsSince(current(), customerId, startOfTest + 9e9)).toEqual([
    { customerId, id: endpoint.id, deliveryPartitions: 1 },
  ]);
  expect(await listLiveEndpoints(current(), customerId)).toEqual([]);
  expect(current().reports).toEqual([]);
});

describe('an audit', () => {
  async function rowsOf(read: () => Promise<unknown>): Promise<number> {
    current().takeReadRows();
    await read();
    return current().takeReadRows();
  }

  it('an audit reads no endpoint that was deleted before its time', async () => {
    const deletions = [null, startOfTest - 9e5, startOfTest - 1, startOfTest - 1, startOfTest + 9e5];
    for (const [number, deletedAt] of deletions.entries()) {
      await register(current(), `whe_${number}`);
      if (deletedAt !== null) await deleteEndpoint(current(), customerId, `whe_${number}`, deletedAt);
    }

    expect(await rowsOf(() => listEndpointsSince(current(), customerId, startOfTest))).toBe(2);
  });

  it('an audit reads no row of the bulk replays of an endpoint while none runs, and two while one does', async () => {
    const read = () => readAuditedReplay(current(), { customerId, id: webhookId, deliveryPartitions: 1 });

    const idle = await rowsOf(read);
    await storeBulkReplay(current(), buildBulkReplay());

    expect([idle, await rowsOf(read)]).toEqual([0, 2]);
  });
});
