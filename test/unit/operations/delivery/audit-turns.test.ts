import { describe, expect, it } from 'vitest';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import { type AuditedEndpoint, auditDeliveries } from '#shared/operations/delivery/audit-deliveries.ts';
import { deliveryIdNumber, hour, minute, startOfTest as now } from '../../../support/values/builders.ts';

type Deps = Parameters<typeof auditDeliveries>[0];

const span = { from: now - 9 * hour, to: now - 6 * hour };
const customers = (count: number) =>
  Array.from({ length: count }, (_, number) => `cus_${String(number).padStart(4, '0')}`);

type World = {
  readonly ids: readonly string[];
  /** The number of endpoints in the span by customer; other customers have one, with a stranded delivery. */
  readonly endpoints?: ReadonlyMap<string, number>;
  readonly deps?: Partial<Deps>;
};

/** A table in which each read takes ten milliseconds. */
function createWorld({ ids, endpoints = new Map(), deps }: World) {
  const reads = new Map<string, number>();
  const woken: string[] = [];
  let spent = 0;
  const read = async <T>(customerId: string, value: T): Promise<T> => {
    reads.set(customerId, (reads.get(customerId) ?? 0) + 1);
    spent += 10;
    return value;
  };
  const audit = auditDeliveries({
    now: () => now,
    report: () => {},
    areQueuesEmpty: async () => true,
    listCustomerIds: async function* () {
      for (let start = 0; start < ids.length; start += 25) yield ids.slice(start, start + 25);
    },
    listEndpointsSince: (of) => read(of, endpointsOf(of, endpoints.get(of) ?? 1)),
    readAuditedDeliveries: async function* ({ customerId, id }) {
      yield await read(customerId, endpoints.has(customerId) ? [] : [stranded(customerId, id)]);
    },
    readAuditedReplay: async () => null,
    readAuditedDelivery: (key) => read(key.customerId, stranded(key.customerId, key.webhookId)),
    markDue: async ({ customerId }) => {
      woken.push(customerId);
      return true;
    },
    ...deps,
  });
  const run = (milliseconds: number, given = span) => {
    spent = 0;
    return audit({ ...given, wake: true }, () => spent < milliseconds);
  };
  return { run, reads, woken };
}

const endpointsOf = (customerId: string, count: number): AuditedEndpoint[] =>
  Array.from({ length: count }, (_, number) => ({ customerId, id: `whe_${number}`, deliveryPartitions: 1 }));

const stranded = (customerId: string, webhookId: string): AuditedDelivery => ({
  key: { customerId, webhookId, id: deliveryIdNumber(1) },
  status: 'pending',
  createdAt: now - 7 * hour,
  leaseUntil: null,
  dueAt: null,
});

describe('a customer who deleted 200,000 endpoints', () => {
  it.each([0, 1, 2])(
    'an audit finds the stranded deliveries of all other customers first (%s hours later)',
    async (later) => {
      const ids = customers(60);
      const [busy = ''] = ids;
      let readsOfBusy = 0;
      const world = createWorld({
        ids,
        endpoints: new Map([[busy, 200_000]]),
        deps: {
          markDue: async ({ customerId }) => {
            readsOfBusy = world.reads.get(busy) ?? 0;
            world.woken.push(customerId);
            return true;
          },
        },
      });

      const audit = await world.run(15 * minute, {
        from: span.from + later * hour,
        to: span.to + later * hour,
      });

      expect(audit).toMatchObject({ complete: false, pending: { stranded: 59 }, woken: 59 });
      expect(audit.unfinished).toEqual([busy]);
      expect(readsOfBusy).toBeLessThanOrEqual(25);
    },
  );

  it('an audit uses its remaining time for a customer with many endpoints', async () => {
    const ids = customers(60);
    const world = createWorld({ ids, endpoints: new Map([[ids[59] ?? '', 200_000]]) });

    await world.run(15 * minute);

    expect(world.reads.get(ids[59] ?? '')).toBeGreaterThan(80_000);
  });
});

describe('an audit', () => {
  it('an audit gives every customer a turn before any customer has a second one', async () => {
    const ids = customers(100);
    const busy = ids.slice(0, 90);
    const world = createWorld({ ids, endpoints: new Map(busy.map((id) => [id, 10_000])) });

    const audit = await world.run(30_000);

    expect(world.woken.toSorted()).toEqual(ids.slice(90));
    expect(audit.unfinished.toSorted()).toEqual(busy);
  });

  it('an audit with time for half of the customers reaches all of them within three hours, before their span is over', async () => {
    const ids = customers(400);
    const world = createWorld({ ids });
    const halfOfThem = (ids.length / 2) * 30;

    const complete: boolean[] = [];
    for (const later of [0, hour, 2 * hour]) {
      const audit = await world.run(halfOfThem, { from: span.from + later, to: span.to + later });
      complete.push(audit.complete);
    }

    expect(complete).toEqual([false, false, false]);
    expect([...new Set(world.woken)].toSorted()).toEqual(ids);
  });
});
