import { beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, deliveryPartition, digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { withLastDelivery } from '#shared/operations/customer/read-webhooks.ts';
import { noteAttempts } from '#shared/operations/delivery/note-last-delivery.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  hour,
  minute,
  startOfTest,
} from '../../../support/values/builders.ts';

let ports = recordStore().ports;
let endpoint: Endpoint;
beforeEach(() => register({}));

async function register(given: Partial<Endpoint>): Promise<void> {
  endpoint = buildEndpoint(given);
  ports = recordStore().ports;
  await ports.reserveEndpoint(endpoint, deliveryAt(startOfTest, 'handshake'));
}

/** A delivery that was created at a time after the registration. */
const deliveryAt = (createdAt: number, name: string | number): Delivery =>
  buildDelivery({ id: deliveryId(createdAt, digest('last', String(name)), endpoint.deliveryPartitions) });
const store = (createdAt: number, name: string | number) => ports.storeDelivery(deliveryAt(createdAt, name), null);
/** Oldest first. */
const storeMany = (createdAt: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, number) => store(createdAt + number, number)));

async function read(): Promise<Endpoint> {
  const stored = await ports.readEndpoint(customerId, endpoint.id);
  if (stored === null) throw new Error('The endpoint is registered');
  return stored;
}

async function times() {
  const stored = await read();
  const shown = await withLastDelivery(ports.table, stored);
  return { shown: shown.lastDeliveryAt, stored: stored.lastDeliveryAt };
}

/** Makes the next attempt of a delivery, which fails, as a worker does. */
async function attempt(delivery: Delivery, at: number): Promise<void> {
  const known = await read();
  const number = ((await ports.readDelivery(delivery))?.attempts ?? 0) + 1;
  const fencingToken = `token ${number}`;
  await ports.claimAttempt(delivery, number, { fencingToken, leaseUntil: at + 30_000, latestDue: at });
  const transition = { status: 'pending', retryAt: at + 1 } as const;
  const entry = buildLogEntry({ at });
  await ports.recordAttempt({ key: delivery, attempt: number, fencingToken, entry, transition });
  await noteAttempts({ ...ports, report: () => {} })(known, { ...delivery, attempts: number }, at);
}

describe('the time of the last delivery of an endpoint', () => {
  it('is the newest delivery’s attempt, which writes nothing at the endpoint', async () => {
    await attempt(await store(startOfTest + hour, 1), startOfTest + hour + 20);

    expect(await times()).toEqual({ shown: startOfTest + hour + 20, stored: startOfTest });
  });

  it.each([
    { name: 'the handshake’s', lastDeliveryAt: startOfTest },
    { name: 'null without one', lastDeliveryAt: null },
  ])('is $name until the first attempt', async ({ lastDeliveryAt }) => {
    await register({ lastDeliveryAt });
    await storeMany(startOfTest + hour, 2);

    expect(await times()).toMatchObject({ shown: lastDeliveryAt });
  });

  it('is a retry that is later than the first attempt of a newer delivery', async () => {
    const older = await store(startOfTest + hour, 1);
    await attempt(older, startOfTest + hour + 20);
    await attempt(await store(startOfTest + hour + minute, 2), startOfTest + hour + minute + 20);
    const retriedAt = startOfTest + hour + 10 * minute;
    await attempt(older, retriedAt);

    expect(await times()).toEqual({ shown: retriedAt, stored: startOfTest });
  });

  it('is a retry behind more newer deliveries than a page holds, which is stored', async () => {
    const older = await store(startOfTest + hour, 'older');
    await attempt(older, startOfTest + hour + 20);
    for (const delivery of await storeMany(startOfTest + hour + minute, 12))
      await attempt(delivery, startOfTest + hour + minute + 20);
    const retriedAt = startOfTest + hour + 10 * minute;
    await attempt(older, retriedAt);

    expect(await times()).toEqual({ shown: retriedAt, stored: retriedAt });
  });

  it('is found behind a backlog of pending deliveries', async () => {
    await attempt(await store(startOfTest + hour, 'attempted'), startOfTest + hour + 20);
    for (const age of [10_000, 20_000]) await storeMany(startOfTest + hour + age, 20);

    expect(await times()).toMatchObject({ shown: startOfTest + hour + 20 });
  });

  it('is the latest of all partitions', async () => {
    await register({ deliveryPartitions: 4 });
    const partitions = new Set<number>();
    for (let number = 0; number < 20; number += 1) {
      const at = startOfTest + hour + number * 100;
      const delivery = await store(at, number);
      partitions.add(deliveryPartition(delivery.id));
      await attempt(delivery, at + 20);
      expect(await times()).toMatchObject({ shown: at + 20 });
    }

    expect(partitions.size).toBe(4);
  });

  it('stays after a deletion, behind deliveries that ended without an attempt', async () => {
    await attempt(await store(startOfTest + hour, 'attempted'), startOfTest + hour + 20);
    const many = await storeMany(startOfTest + hour + minute, 20);
    await ports.deleteEndpoint(customerId, endpoint.id, startOfTest + hour + minute);
    for (const delivery of many) await ports.cancelDelivery(delivery, 'endpoint_deleted', startOfTest);

    expect(await times()).toEqual({ shown: startOfTest + hour + 20, stored: startOfTest });
  });
});
