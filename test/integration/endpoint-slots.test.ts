import { describe, expect, it } from 'vitest';
import { listEndpointsSince } from '#shared/aws/table/audit-reads.ts';
import { readDelivery } from '#shared/aws/table/deliveries.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { deleteEndpoint, reserveEndpoint } from '#shared/aws/table/endpoint-slots.ts';
import {
  activateEndpoint,
  listLiveEndpoints,
  readEndpoint,
  readLiveEndpoint,
} from '#shared/aws/table/endpoints.ts';
import { earlierTombstoneKey } from '#shared/aws/table/keys.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { losingTable } from '../support/aws/losing-table.ts';
import { useTable } from '../support/aws/table.ts';
import { buildDelivery, buildEndpoint, customerId, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const backoff = { wait: async () => {}, random: () => 0 };

let registrations = 0;

/** Never the same ids twice: a registration that repeats counts as one, also in another table. */
function registration() {
  registrations += 1;
  const number = registrations;
  const endpoint = buildEndpoint({
    id: makeId('webhook', startOfTest + number, digest('webhook', String(number))),
    createdAt: startOfTest + number,
    status: 'failed',
    activatedAt: null,
  });
  const claim = { fencingToken: 'handshake', leaseUntil: startOfTest + 30_000 };
  const handshake = buildDelivery({ webhookId: endpoint.id, attempts: 1, claim }, number);
  return { endpoint, handshake };
}

async function register() {
  const { endpoint, handshake } = registration();
  return { endpoint, handshake, answer: await reserveEndpoint(current(), backoff)(endpoint, handshake) };
}

const registerMany = (count: number) => Promise.all(Array.from({ length: count }, register));

describe('reserveEndpoint()', () => {
  it('leaves exactly five endpoints of 20 registrations at once, and refuses the rest', async () => {
    const registered = await registerMany(20);

    const reserved = registered.filter(({ answer }) => answer === 'reserved');
    expect(reserved).toHaveLength(5);
    expect(registered.filter(({ answer }) => answer === 'limit_reached')).toHaveLength(15);
    const live = await listLiveEndpoints(current())(customerId);
    expect(live).toEqual(reserved.map(({ endpoint }) => endpoint).sort((a, b) => b.createdAt - a.createdAt));
  });

  it('stores nothing of a registration that it refuses', async () => {
    await registerMany(5);

    const { endpoint, handshake, answer } = await register();

    expect(answer).toBe('limit_reached');
    expect(await readEndpoint(current())(customerId, endpoint.id)).toBeNull();
    expect(await readDelivery(current())(handshake)).toBeNull();
  });

  it('stores the handshake claimed, together with its endpoint', async () => {
    const { endpoint, handshake } = await register();

    expect(await readLiveEndpoint(current())(customerId, endpoint.id)).toEqual(endpoint);
    expect(await readDelivery(current())(handshake)).toEqual(handshake);
  });

  it('counts the slots of each customer apart', async () => {
    await registerMany(5);
    const { endpoint, handshake } = registration();
    const stranger = makeId('customer', startOfTest, digest('stranger'));

    const answer = await reserveEndpoint(current(), backoff)(
      { ...endpoint, customerId: stranger },
      { ...handshake, customerId: stranger },
    );

    expect(answer).toBe('reserved');
  });
});

describe('deleteEndpoint()', () => {
  it('has deleted the endpoint once when the answer to its transaction was lost', async () => {
    const { endpoint } = await register();
    const { table, lost } = await losingTable(current(), 'TransactWriteItems');

    const deleted = await deleteEndpoint(table, backoff)(customerId, endpoint.id, startOfTest);

    expect(lost()).toBe(1);
    expect(deleted).toBe(true);
    expect(await readLiveEndpoint(current())(customerId, endpoint.id)).toBeNull();
  });

  it('frees a slot once when two deletions meet, so that exactly one registration fits', async () => {
    const [first] = await registerMany(5);
    const webhookId = first?.endpoint.id ?? '';
    const remove = deleteEndpoint(current(), backoff);

    const deleted = await Promise.all([
      remove(customerId, webhookId, startOfTest),
      remove(customerId, webhookId, startOfTest),
    ]);

    expect(deleted.sort()).toEqual([false, true]);
    const again = await registerMany(3);
    expect(again.map(({ answer }) => answer).sort()).toEqual(['limit_reached', 'limit_reached', 'reserved']);
  });

  it('gives back every slot, however often all endpoints are deleted and registered', async () => {
    for (let round = 0; round < 3; round += 1) {
      const registered = await registerMany(5);
      expect(registered.every(({ answer }) => answer === 'reserved')).toBe(true);
      await Promise.all(
        registered.map(({ endpoint }) =>
          deleteEndpoint(current(), backoff)(customerId, endpoint.id, startOfTest),
        ),
      );
    }

    expect(await listLiveEndpoints(current())(customerId)).toEqual([]);
  });

  it('leaves a tombstone that can be read, without any secret', async () => {
    const { endpoint } = await register();

    await deleteEndpoint(current(), backoff)(customerId, endpoint.id, startOfTest);

    expect(await readLiveEndpoint(current())(customerId, endpoint.id)).toBeNull();
    expect(await readEndpoint(current())(customerId, endpoint.id)).toEqual({
      ...endpoint,
      status: 'deleted',
      secret: '',
    });
  });

  it('leaves tombstones of earlier releases readable', async () => {
    const { endpoint } = registration();
    const { secret: _, ...kept } = toEndpointItem(endpoint);
    await current().client.put({
      TableName: current().name,
      Item: { ...earlierTombstoneKey(customerId, endpoint.id), ...kept, status: 'deleted' },
    });

    expect(await readEndpoint(current())(customerId, endpoint.id)).toMatchObject({
      id: endpoint.id,
      status: 'deleted',
    });
    expect(await listEndpointsSince(current())(customerId, startOfTest + 9e9)).toEqual([
      { customerId, id: endpoint.id, deliveryPartitions: 1 },
    ]);
  });

  it('finds nothing to delete a second time, or of another customer', async () => {
    const { endpoint } = await register();
    const remove = deleteEndpoint(current(), backoff);

    expect(await remove('cus_another', endpoint.id, startOfTest)).toBe(false);
    expect(await remove(customerId, endpoint.id, startOfTest)).toBe(true);
    expect(await remove(customerId, endpoint.id, startOfTest)).toBe(false);
  });
});

describe('activateEndpoint()', () => {
  it('activates a failed endpoint once', async () => {
    const { endpoint } = await register();
    const activate = activateEndpoint(current());

    expect(await activate(customerId, endpoint.id, startOfTest + 90)).toBe(true);
    expect(await activate(customerId, endpoint.id, startOfTest + 95)).toBe(false);

    const stored = await readLiveEndpoint(current())(customerId, endpoint.id);
    expect(stored).toMatchObject({ status: 'active', activatedAt: startOfTest + 90 });
  });

  it('does not bring a deleted endpoint back', async () => {
    const { endpoint } = await register();
    await deleteEndpoint(current(), backoff)(customerId, endpoint.id, startOfTest);

    expect(await activateEndpoint(current())(customerId, endpoint.id, startOfTest + 90)).toBe(false);

    expect(await listLiveEndpoints(current())(customerId)).toEqual([]);
  });
});
