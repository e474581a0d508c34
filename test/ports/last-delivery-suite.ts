import { beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, deliveryPartition, digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { withLastDelivery } from '#shared/operations/customer/last-delivery.ts';
import { noteAttempts } from '#shared/operations/delivery/note-last-delivery.ts';
import type { TablePorts } from '../support/memory/table-ports.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  hour,
  minute,
  startOfTest,
} from '../support/values/builders.ts';

/** A delivery of the endpoint that was created at a time. */
const deliveryTo = (endpoint: Endpoint, createdAt: number, name: string | number): Delivery =>
  buildDelivery({
    webhookId: endpoint.id,
    id: deliveryId(createdAt, digest(endpoint.id, String(name)), endpoint.deliveryPartitions),
  });

/** What a store of deliveries owes those who show when an endpoint was last attempted. */
export function lastDeliverySuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  beforeEach(() => {
    ports = connect();
  });

  const register = async (given: Partial<Endpoint> = {}): Promise<Endpoint> => {
    const endpoint = buildEndpoint(given);
    const handshake = { ...deliveryTo(endpoint, startOfTest, 'handshake'), status: 'failed' } as const;
    await ports.reserveEndpoint(endpoint, handshake);
    return endpoint;
  };
  const store = async (endpoint: Endpoint, createdAt: number, name: string | number) =>
    ports.storeDelivery(deliveryTo(endpoint, createdAt, name), null);
  /** Oldest first. */
  const storeMany = (endpoint: Endpoint, createdAt: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, number) => store(endpoint, createdAt + number, number)));
  const read = async ({ id }: Endpoint): Promise<Endpoint> => {
    const endpoint = await ports.readEndpoint(customerId, id);
    if (endpoint === null) throw new Error('The endpoint is registered');
    return endpoint;
  };
  const shown = async (endpoint: Endpoint) => {
    const { lastDeliveryAt } = await withLastDelivery(ports.readAttemptTimes)(await read(endpoint));
    return lastDeliveryAt;
  };

  /** Makes the next attempt of a delivery, which fails, as a worker does. */
  const attempt = async (endpoint: Endpoint, delivery: Delivery, at: number): Promise<void> => {
    const known = await read(endpoint);
    const number = ((await ports.readDelivery(delivery))?.attempts ?? 0) + 1;
    const claim = { fencingToken: `token ${number}`, leaseUntil: at + 30_000, latestDue: at };
    await ports.claimAttempt(delivery, number, claim);
    await ports.recordAttempt({
      key: delivery,
      attempt: number,
      fencingToken: claim.fencingToken,
      entry: buildLogEntry({ at }),
      transition: { status: 'pending', retryAt: at + 1 },
    });
    await noteAttempts({ ...ports, report: () => {} })(known, { ...delivery, attempts: number }, at);
  };

  describe('readAttemptTimes()', () => {
    it('reads a page of one partition, newest first', async () => {
      const endpoint = await register();
      const [oldest, middle, newest] = await Promise.all(
        [1, 2, 3].map((age) => store(endpoint, startOfTest + age, age)),
      );
      await attempt(endpoint, middle ?? buildDelivery(), startOfTest + 9);
      const times = [
        { id: newest?.id, lastAttemptAt: null },
        { id: middle?.id, lastAttemptAt: startOfTest + 9 },
        { id: oldest?.id, lastAttemptAt: null },
      ];

      expect(await ports.readAttemptTimes(endpoint, 0, null, 2)).toEqual(times.slice(0, 2));
      expect(await ports.readAttemptTimes(endpoint, 0, middle?.id ?? '', 1)).toEqual(times.slice(2));
      expect(await ports.readAttemptTimes(endpoint, 1, null, 2)).toEqual([]);
    });
  });

  describe('the time of the last delivery of an endpoint', () => {
    it('is the newest delivery’s attempt, which writes nothing at the endpoint', async () => {
      const endpoint = await register();
      const delivery = await store(endpoint, startOfTest + hour, 1);
      await attempt(endpoint, delivery, startOfTest + hour + 20);

      expect(await shown(endpoint)).toBe(startOfTest + hour + 20);
      expect((await read(endpoint)).lastDeliveryAt).toBe(startOfTest);
    });

    it('is null while nothing was attempted and no time is stored', async () => {
      const endpoint = await register({ lastDeliveryAt: null });
      await store(endpoint, startOfTest + hour, 1);

      expect(await shown(endpoint)).toBeNull();
    });

    it('is the handshake’s until the first attempt', async () => {
      const endpoint = await register();
      await storeMany(endpoint, startOfTest + hour, 2);

      expect(await shown(endpoint)).toBe(startOfTest);
    });

    it('is a retry that is later than the first attempt of a newer delivery', async () => {
      const endpoint = await register();
      const older = await store(endpoint, startOfTest + hour, 1);
      await attempt(endpoint, older, startOfTest + hour + 20);
      const newer = await store(endpoint, startOfTest + hour + minute, 2);
      await attempt(endpoint, newer, startOfTest + hour + minute + 20);
      const retriedAt = startOfTest + hour + 10 * minute;
      await attempt(endpoint, older, retriedAt);

      expect(await shown(endpoint)).toBe(retriedAt);
      expect((await read(endpoint)).lastDeliveryAt).toBe(startOfTest);
    });

    it('is a retry behind more newer deliveries than a page holds, which is stored', async () => {
      const endpoint = await register();
      const older = await store(endpoint, startOfTest + hour, 'older');
      await attempt(endpoint, older, startOfTest + hour + 20);
      const many = await storeMany(endpoint, startOfTest + hour + minute, 12);
      for (const delivery of many) await attempt(endpoint, delivery, startOfTest + hour + minute + 20);
      const retriedAt = startOfTest + hour + 10 * minute;
      await attempt(endpoint, older, retriedAt);

      expect(await shown(endpoint)).toBe(retriedAt);
      expect((await read(endpoint)).lastDeliveryAt).toBe(retriedAt);
    });

    it('is found behind a backlog of pending deliveries', async () => {
      const endpoint = await register();
      const attempted = await store(endpoint, startOfTest + hour, 'attempted');
      await attempt(endpoint, attempted, startOfTest + hour + 20);
      for (const age of [10_000, 20_000]) await storeMany(endpoint, startOfTest + hour + age, 20);

      expect(await shown(endpoint)).toBe(startOfTest + hour + 20);
    });

    it('is stored once a minute while a backlog is attempted late', async () => {
      const endpoint = await register();
      const many = await storeMany(endpoint, startOfTest + hour, 12);
      const begins = startOfTest + hour + 2 * minute;
      const stored: (number | null)[] = [];
      for (const [index, delivery] of many.entries()) {
        await attempt(endpoint, delivery, begins + index * 30_000);
        stored.push((await read(endpoint)).lastDeliveryAt);
      }

      expect(stored.slice(0, 4)).toEqual([begins, begins, begins + minute, begins + minute]);
    });

    it('is the latest of all partitions', async () => {
      const endpoint = await register({ deliveryPartitions: 4 });
      const partitions = new Set<number>();
      for (let number = 0; number < 20; number += 1) {
        const at = startOfTest + hour + number * 100;
        const delivery = await store(endpoint, at, number);
        partitions.add(deliveryPartition(delivery.id));
        await attempt(endpoint, delivery, at + 20);
        expect(await shown(endpoint)).toBe(at + 20);
      }

      expect(partitions.size).toBe(4);
    });

    it('stays after a deletion, behind deliveries that ended without an attempt', async () => {
      const endpoint = await register();
      const attempted = await store(endpoint, startOfTest + hour, 'attempted');
      await attempt(endpoint, attempted, startOfTest + hour + 20);
      const many = await storeMany(endpoint, startOfTest + hour + minute, 20);
      await ports.deleteEndpoint(customerId, endpoint.id, startOfTest + hour + minute);
      await Promise.all(
        many.map((delivery) => ports.cancelDelivery(delivery, 'endpoint_deleted', startOfTest)),
      );

      expect(await read(endpoint)).toMatchObject({ status: 'deleted', lastDeliveryAt: startOfTest });
      expect(await shown(endpoint)).toBe(startOfTest + hour + 20);
    });
  });
}
