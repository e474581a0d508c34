import { beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest, maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { AuditedDelivery, Span } from '#shared/domain/progress.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import {
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';
import { attemptFirst, claimFirst, keyOf, leaseUntil, overdueBefore, retryAt } from './first-attempt.ts';

const endpoint: DeliveryHistory = { customerId, id: webhookId, deliveryPartitions: 1 };

/** Transactions are told apart by the endpoint's id, also from one table to the next. */
let registrations = 0;

/** What a store owes the audit: every customer, endpoint and delivery of a span, and a way to wake what is stranded. */
export function auditSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  beforeEach(() => {
    ports = connect();
  });

  /** Makes a delivery at a time, in a partition. */
  const store = (createdAt: number, given: { partition?: number; dueAt?: number; body?: string } = {}) => {
    const { partition = 0, dueAt = null, body } = given;
    const entropy = digest('audited', String(createdAt), String(partition)).with(9, partition);
    const id = deliveryId(createdAt, entropy, maxDeliveryPartitions);
    return ports.storeDelivery(buildDelivery({ id, ...(body === undefined ? {} : { body }) }), dueAt);
  };
  const read = async (span: Span, of: DeliveryHistory = endpoint) => {
    const found = (await collect(ports.readAuditedDeliveries(of, span))).flat();
    return found.toSorted((one, other) => (one.key.id < other.key.id ? -1 : 1));
  };
  const claim = (delivery: Delivery) => claimFirst(ports, delivery);
  const attempt = (delivery: Delivery, isLast: boolean) => attemptFirst(ports, delivery, isLast);
  const register = async (deliveryPartitions: number) => {
    registrations += 1;
    const id = makeId('webhook', startOfTest, digest('audited', String(registrations)));
    await ports.reserveEndpoint(
      buildEndpoint({ id, deliveryPartitions }),
      buildDelivery({ webhookId: id }, registrations),
    );
    return { id, deliveryPartitions };
  };
  const endpointsOf = async (of: string, since = 0) => {
    const found = await ports.listEndpointsSince(of, since);
    expect(found.filter((one) => one.customerId !== of)).toEqual([]);
    return found.map(({ id, deliveryPartitions }) => ({ id, deliveryPartitions })).toSorted(byId);
  };

  it('listCustomerIds() gives every customer once, however many there are', async () => {
    expect((await collect(ports.listCustomerIds())).flat()).toEqual([]);
    const ids = Array.from({ length: 60 }, (_, number) => `cus_${String(number).padStart(3, '0')}`);
    for (const id of ids) await ports.addCustomer(id);

    const listed = await collect(ports.listCustomerIds());

    expect(listed.flat().toSorted()).toEqual(ids);
  });

  it('readAuditedReplay() gives the running job of an endpoint with the time of its last step, until it ends', async () => {
    const { id } = await register(1);
    const audited = { customerId, id, deliveryPartitions: 1 };
    const job = buildBulkReplay({ webhookId: id });
    const key = { customerId, webhookId: id, id: job.id };
    const claim = { now: startOfTest + 5_000, leaseUntil: startOfTest + 65_000 };
    const end = { status: 'cancelled', reason: 'requested', at: startOfTest } as const;

    expect(await ports.readAuditedReplay(audited)).toBeNull();
    await ports.storeBulkReplay(job);
    expect(await ports.readAuditedReplay(audited)).toEqual({ key, lastStepAt: startOfTest });
    await ports.claimReplayStep({ key, step: 1 }, claim);
    await ports.advanceReplay({ key, step: 1 }, { replayed: 0, skipped: 0, cursor: null });
    expect(await ports.readAuditedReplay(audited)).toEqual({ key, lastStepAt: claim.now });
    await ports.endBulkReplay(key, end);
    expect(await ports.readAuditedReplay(audited)).toBeNull();
  });

  it('listEndpointsSince() gives the live ones and those that were deleted since, to the millisecond, with their partitions', async () => {
    const [live, before, then, later] = [await register(1), await register(1), await register(2), await register(3)];
    await ports.deleteEndpoint(customerId, before.id, startOfTest + 99);
    await ports.deleteEndpoint(customerId, then.id, startOfTest + 100);
    await ports.deleteEndpoint(customerId, later.id, startOfTest + 9e9);

    expect(await endpointsOf(customerId, startOfTest + 100)).toEqual([live, then, later].toSorted(byId));
    expect(await endpointsOf('cus_other')).toEqual([]);
  });

  it('listEndpointsSince() gives more deleted ones than can live at once', async () => {
    const made: { readonly id: string; readonly deliveryPartitions: number }[] = [];
    for (let number = 0; number < 7; number += 1) {
      const one = await register(1);
      made.push(one);
      await ports.deleteEndpoint(customerId, one.id, startOfTest);
    }

    expect(await endpointsOf(customerId)).toEqual(made.toSorted(byId));
  });

  it('readAuditedDeliveries() gives what was made in the span, to the millisecond, both ends included', async () => {
    const made: Delivery[] = [];
    for (const time of [startOfTest - 1, startOfTest, startOfTest + 1, startOfTest + 2, startOfTest + 3])
      made.push(await store(time));
    const [, first, second, third] = made.map(({ id }) => id);

    expect((await read({ from: startOfTest, to: startOfTest + 2 })).map(({ key }) => key.id)).toEqual([
      first,
      second,
      third,
    ]);
    expect((await read({ from: startOfTest + 1, to: startOfTest + 1 })).map(({ key }) => key.id)).toEqual([second]);
    expect(await read({ from: startOfTest + 4, to: startOfTest + 9 })).toEqual([]);
  });

  it('readAuditedDeliveries() gives the deliveries of every partition, and no others', async () => {
    const made = [
      await store(startOfTest),
      await store(startOfTest + 1, { partition: 3 }),
      await store(startOfTest + 2, { partition: 7 }),
    ];
    await ports.storeDelivery(buildDelivery({ webhookId: 'whe_other' }, 5), null);

    const found = await read({ from: startOfTest, to: startOfTest + 9 }, { ...endpoint, deliveryPartitions: 8 });

    expect(found.map(({ key }) => key)).toEqual(made.map(keyOf));
  });

  it('readAuditedDeliveries() reads on where an answer of the table ends', async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'run.completed', kind: 'x'.repeat(350_000) });
    const made: Delivery[] = [];
    for (let number = 0; number < 7; number += 1) made.push(await store(startOfTest + number, { body }));

    const found = await read({ from: startOfTest, to: startOfTest + 9 });

    expect(found.map(({ key }) => key)).toEqual(made.map(keyOf));
  });

  describe.each<[string, (delivery: Delivery) => Promise<AuditedDelivery | null>]>([
    ['readAuditedDeliveries()', async (delivery) => only(await read({ from: startOfTest, to: startOfTest }), delivery)],
    ['readAuditedDelivery()', (delivery) => ports.readAuditedDelivery(delivery)],
  ])('%s', (_, auditedDeliveryOf) => {
    const fresh = { status: 'pending', createdAt: startOfTest, leaseUntil: null, dueAt: null } as const;

    it.each<[string, (delivery: Delivery) => Promise<unknown>, Partial<AuditedDelivery>]>([
      ['one that was just made', async () => {}, {}],
      ['a claimed one', claim, { leaseUntil }],
      ['one that waits for its next attempt', (delivery) => attempt(delivery, false), { dueAt: retryAt }],
      ['a delivered one', (delivery) => attempt(delivery, true), { status: 'delivered' }],
      [
        'a cancelled one',
        (delivery) => ports.cancelDelivery(delivery, 'endpoint_deleted', startOfTest),
        { status: 'failed' },
      ],
      [
        'one that was given a wake-up and then claimed',
        async (delivery) => {
          await ports.markDue(delivery, startOfTest);
          await claim(delivery);
        },
        { leaseUntil, dueAt: startOfTest },
      ],
    ])('tells of %s as much as says what will wake it', async (_name, change, seen) => {
      const delivery = await store(startOfTest);
      await change(delivery);

      expect(await auditedDeliveryOf(delivery)).toEqual({ key: keyOf(delivery), ...fresh, ...seen });
    });
  });

  it('readAuditedDelivery() gives nothing of a delivery that is not there', async () => {
    expect(await ports.readAuditedDelivery(buildDelivery())).toBeNull();
  });

  it('markDue() puts a delivery where the sweep finds it, with nothing else changed', async () => {
    const delivery = await store(startOfTest);
    expect(await overdueBefore(ports, startOfTest + 1)).toEqual([]);

    expect(await ports.markDue(delivery, startOfTest)).toBe(true);

    expect(await overdueBefore(ports, startOfTest)).toEqual([]);
    expect(await overdueBefore(ports, startOfTest + 1)).toEqual([{ ...keyOf(delivery), dueAt: startOfTest }]);
    expect(await ports.readDelivery(delivery)).toEqual(delivery);
  });

  it('markDue() is won by one of two', async () => {
    const delivery = await store(startOfTest);

    const given = await Promise.all([1, 2].map((later) => ports.markDue(delivery, startOfTest + later)));

    expect(given.toSorted()).toEqual([false, true]);
  });

  it('markDue() leaves one alone that waits already', async () => {
    const delivery = await store(startOfTest, { dueAt: startOfTest + 5 });

    expect(await ports.markDue(delivery, startOfTest)).toBe(false);
    expect(await ports.readAuditedDelivery(delivery)).toMatchObject({ dueAt: startOfTest + 5 });
  });

  it.each<[string, (delivery: Delivery) => Promise<unknown>]>([
    ['was delivered', (delivery) => attempt(delivery, true)],
    ['was cancelled', (delivery) => ports.cancelDelivery(delivery, 'endpoint_deleted', startOfTest)],
  ])('markDue() leaves one alone that %s', async (_, end) => {
    const delivery = await store(startOfTest);
    await end(delivery);

    expect(await ports.markDue(delivery, startOfTest)).toBe(false);
    expect(await overdueBefore(ports, startOfTest + 1)).toEqual([]);
  });

  it('markDue() makes nothing of a delivery that is not there', async () => {
    const delivery = buildDelivery();

    expect(await ports.markDue(delivery, startOfTest)).toBe(false);
    expect([await ports.readDelivery(delivery), await overdueBefore(ports, startOfTest + 1)]).toEqual([null, []]);
  });
}

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

function only(found: readonly AuditedDelivery[], { id }: Delivery): AuditedDelivery | null {
  expect(found.map(({ key }) => key.id)).toEqual([id]);
  return found[0] ?? null;
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
