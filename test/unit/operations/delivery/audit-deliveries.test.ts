import { describe, expect, it } from 'vitest';
import type { DeliveryKey } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import { type AuditRequest, auditDeliveries } from '#shared/operations/delivery/audit-deliveries.ts';
import { createJournal, createReports, unexpected } from '../../../support/operations/deps.ts';
import {
  customerId,
  deliveryIdNumber,
  hour,
  minute,
  startOfTest as now,
  otherWebhookId,
  webhookId,
} from '../../../support/values/builders.ts';

type Deps = Parameters<typeof auditDeliveries>[0];

const otherCustomerId = 'cus_01KDVDRN00000000000000000B';
const always = () => true;
const span = { from: now - 9 * hour, to: now - 6 * hour };
const look: AuditRequest = { ...span, requeue: false };
const wake: AuditRequest = { ...span, requeue: true };

/** A stranded delivery, unless `given` says otherwise. */
function listed(
  number: number,
  given: Partial<AuditedDelivery> = {},
  of: Partial<DeliveryKey> = {},
): AuditedDelivery {
  return {
    key: { customerId, webhookId, id: deliveryIdNumber(number), ...of },
    status: 'pending',
    createdAt: now - 7 * hour,
    leaseUntil: null,
    dueAt: null,
    ...given,
  };
}

const endpoint = (id = webhookId, of = customerId): DeliveryHistory => ({
  customerId: of,
  id,
  deliveryPartitions: 1,
});

type World = {
  /** Customers by page. */
  readonly customers?: readonly (readonly string[])[];
  readonly endpoints?: readonly DeliveryHistory[];
  /** Deliveries by endpoint and page. */
  readonly pages?: Readonly<Record<string, readonly (readonly AuditedDelivery[])[]>>;
  /** The present state of deliveries that differ from the list; `null` for a deleted one. */
  readonly actually?: ReadonlyMap<string, AuditedDelivery | null>;
  readonly deps?: Partial<Deps>;
};

function createWorld({ customers = [[customerId]], endpoints = [endpoint()], ...given }: World = {}) {
  const { pages = {}, actually = new Map<string, AuditedDelivery | null>() } = given;
  const reports = createReports();
  const journal = createJournal();
  const woken: { readonly key: DeliveryKey; readonly dueAt: number }[] = [];
  const all = Object.values(pages).flat(2);
  const audit = auditDeliveries({
    now: () => now,
    report: reports.report,
    areQueuesEmpty: journal.note('queues', async () => true),
    listCustomerIds: async function* () {
      yield* customers;
    },
    listEndpointsSince: async (of, since) => {
      // A clock may be ahead of the one by which a delivery was created.
      expect(since).toBe(span.from - 15 * minute);
      return endpoints.filter((one) => one.customerId === of);
    },
    readAuditedDeliveries: async function* ({ id }, asked) {
      expect(asked).toMatchObject(span);
      for (const page of pages[id] ?? [[]]) {
        journal.entries.push('page');
        yield page;
      }
    },
    readAuditedDelivery: async ({ id }) => {
      journal.entries.push('again');
      const fresh = actually.get(id);
      return fresh === undefined ? (all.find(({ key }) => key.id === id) ?? null) : fresh;
    },
    readAuditedReplay: async () => null,
    markDue: async (key, dueAt) => {
      woken.push({ key, dueAt });
      return true;
    },
    ...given.deps,
  });
  return { audit, woken, events: reports.events, journal: journal.entries };
}

const withDeliveries = (deliveries: readonly AuditedDelivery[], given: World = {}) =>
  createWorld({ pages: { [webhookId]: [deliveries] }, ...given });

describe('auditDeliveries()', () => {
  it('counts deliveries by status, and pending deliveries by what will wake them, and reads only a suspect again', async () => {
    const world = withDeliveries([
      listed(1, { status: 'delivered' }),
      listed(2, { status: 'delivered' }),
      listed(3, { status: 'failed' }),
      listed(4, { leaseUntil: now + 1 }),
      listed(5, { dueAt: now + hour }),
      listed(6, { dueAt: now - 16 * minute }),
      listed(7, { createdAt: now - minute }),
      listed(8),
    ]);

    const audit = await world.audit(look, always);

    expect(audit).toEqual({
      ...span,
      complete: true,
      unfinished: [],
      deliveries: { delivered: 2, failed: 1, pending: 5 },
      pending: { in_flight: 1, waiting: 1, overdue: 1, queued: 1, stranded: 1 },
      oldestPending: listed(4, { leaseUntil: now + 1 }),
      oldestStranded: listed(8),
      stranded: [listed(8).key],
      requeued: 0,
      stalledReplays: [],
    });
    // The depth of the queues is read before the deliveries.
    expect(world.journal).toEqual(['queues', 'page', 'again']);
  });

  it('names the oldest pending and the oldest stranded delivery, in any order of the list', async () => {
    const oldest = listed(2, { createdAt: now - 9 * hour, dueAt: now });
    const oldestStranded = listed(4, { createdAt: now - 8 * hour });
    const ended = listed(5, { createdAt: now - 10 * hour, status: 'failed' });
    const world = withDeliveries([listed(1), oldest, listed(3), oldestStranded, ended, listed(6)]);

    expect(await world.audit(look, always)).toMatchObject({ oldestPending: oldest, oldestStranded });
  });

  it('reads every page of every endpoint of every customer', async () => {
    const of = (id: string, number: number) => listed(number, {}, { webhookId: id });
    const world = createWorld({
      customers: [[customerId], [otherCustomerId]],
      endpoints: [endpoint('whe_1'), endpoint('whe_2'), endpoint('whe_3', otherCustomerId)],
      pages: {
        whe_1: [[of('whe_1', 1)], [], [of('whe_1', 2)]],
        whe_2: [[of('whe_2', 3)]],
        whe_3: [[of('whe_3', 4)]],
      },
    });

    const { stranded, pending } = await world.audit(look, always);

    expect(pending.stranded).toBe(4);
    const seen = stranded.map(({ webhookId: id }) => id);
    expect(seen.toSorted()).toEqual(['whe_1', 'whe_1', 'whe_2', 'whe_3']);
  });

  it('counts a young delivery as queued while the queues are not empty', async () => {
    const deps = { areQueuesEmpty: async () => false };
    const world = withDeliveries([listed(1, { createdAt: now - hour })], { deps });

    expect((await world.audit(look, always)).pending).toMatchObject({ stranded: 0, queued: 1 });
  });

  it('reads a suspect again, and counts its present state unless it is gone', async () => {
    const gone = listed(4, { createdAt: now - 8 * hour });
    const world = withDeliveries([listed(1), listed(2), listed(3), gone], {
      actually: new Map([
        [deliveryIdNumber(1), listed(1, { status: 'delivered' })],
        [deliveryIdNumber(2), listed(2, { dueAt: now })],
        [gone.key.id, null],
      ]),
    });

    const audit = await world.audit(wake, always);

    expect(audit.deliveries).toEqual({ delivered: 1, failed: 0, pending: 2 });
    expect(audit.pending).toMatchObject({ waiting: 1, stranded: 1 });
    expect(audit.oldestPending).not.toEqual(gone);
    expect(audit.stranded).toEqual([listed(3).key]);
    expect(world.woken.map(({ key }) => key)).toEqual([listed(3).key]);
    expect(world.events).toHaveLength(1);
  });
});

describe('auditDeliveries() about a stranded delivery', () => {
  it('reports a stranded delivery with its ids and its time, and does not change it unless waking is requested', async () => {
    const world = withDeliveries([listed(1)], { deps: { markDue: unexpected('markDue') } });

    const audit = await world.audit(look, always);

    expect(audit.requeued).toBe(0);
    expect(world.events).toEqual([
      { name: 'delivery.stranded', delivery: listed(1).key, createdAt: now - 7 * hour },
    ]);
  });

  it('makes a stranded delivery due at once, so that the next sweep wakes it', async () => {
    const world = withDeliveries([listed(1), listed(2, { dueAt: now - hour })]);

    const audit = await world.audit(wake, always);

    expect(audit.requeued).toBe(1);
    expect(world.woken).toEqual([{ key: listed(1).key, dueAt: now - 3 * minute }]);
  });

  it('counts a delivery that another process woke meanwhile as stranded, but not as woken', async () => {
    const world = withDeliveries([listed(1)], { deps: { markDue: async () => false } });

    expect(await world.audit(wake, always)).toMatchObject({ pending: { stranded: 1 }, requeued: 0 });
  });

  it('counts and wakes every stranded delivery, also those beyond the 100 that it lists', async () => {
    const world = withDeliveries(Array.from({ length: 103 }, (_, number) => listed(number)));

    const audit = await world.audit(wake, always);

    expect(audit).toMatchObject({ pending: { stranded: 103 }, requeued: 103 });
    expect(audit.stranded).toEqual(Array.from({ length: 100 }, (_, number) => listed(number).key));
    expect(world.events).toHaveLength(103);
  });

  it('names each bulk replay that has taken no step for longer than its message can be on a queue', async () => {
    const replayOf = (webhookId: string, lastStepAt: number) => ({
      key: { customerId, webhookId, id: `rpl_of_${webhookId}` },
      lastStepAt,
    });
    const stalled = replayOf(webhookId, now - 6 * hour - 1);
    const replays = [stalled, replayOf(otherWebhookId, now - 6 * hour)];
    const world = createWorld({
      endpoints: [endpoint(), endpoint(otherWebhookId), endpoint('whe_idle')],
      deps: {
        readAuditedReplay: async ({ id }) => replays.find(({ key }) => key.webhookId === id) ?? null,
      },
    });

    const { stalledReplays } = await world.audit(look, always);

    expect(stalledReplays).toEqual([stalled]);
    expect(world.events).toEqual([{ name: 'replay.stalled', ...stalled }]);
  });
});

describe('auditDeliveries() when its time is up', () => {
  const pages = { [webhookId]: [[listed(1), listed(2)], [listed(3)]] };

  it.each([
    ['no further page', 2],
    ['nothing more of a page, even if it contains stranded deliveries', 1],
  ])('reads %s, and reports that it is not complete', async (_, suspects) => {
    const world = createWorld({ pages });
    const read = (what: string) => world.journal.filter((entry) => entry === what).length;

    const audit = await world.audit(wake, () => read('again') < suspects);

    const found = { pending: { stranded: suspects }, requeued: suspects };
    expect(audit).toMatchObject({ complete: false, unfinished: [customerId], ...found });
    expect(read('page')).toBe(1);
  });

  it('reads neither the endpoints of a customer nor further customers', async () => {
    let customerPages = 0;
    const world = createWorld({
      deps: {
        listCustomerIds: async function* () {
          while (customerPages < 3) {
            customerPages += 1;
            yield [customerId];
          }
        },
        listEndpointsSince: unexpected('listEndpointsSince'),
      },
    });

    const nothing = { deliveries: { pending: 0 }, oldestPending: null, oldestStranded: null };
    expect(await world.audit(wake, () => false)).toMatchObject({ complete: false, ...nothing });
    expect(customerPages).toBe(1);
  });
});

describe('auditDeliveries() when a read fails', () => {
  const throttled = () => Promise.reject(new Error('throttled'));
  const stranded = listed(1, {}, { customerId: otherCustomerId, webhookId: 'whe_2' });
  const bothOfOther = ['whe_1', 'whe_2'].map((id) => endpoint(id, otherCustomerId));
  const endpointsFail: Partial<Deps> = {
    listEndpointsSince: async (of) => (of === customerId ? throttled() : bothOfOther.slice(1)),
  };
  const deliveriesFail: Partial<Deps> = {
    readAuditedDeliveries: async function* ({ id }) {
      yield id === 'whe_1' ? await throttled() : [stranded];
    },
  };

  it.each<[string, World]>([
    ['its endpoints', { deps: endpointsFail }],
    ['its endpoints, on another page', { customers: [[customerId], [otherCustomerId]], deps: endpointsFail }],
    ['its deliveries', { deps: deliveriesFail }],
    [
      'those of one endpoint',
      { customers: [[otherCustomerId]], endpoints: bothOfOther, deps: deliveriesFail },
    ],
  ])('throws when a customer cannot be read (%s), after it has audited everything else', async (_, given) => {
    const world = createWorld({
      customers: [[customerId, otherCustomerId]],
      endpoints: [endpoint('whe_1'), endpoint('whe_2', otherCustomerId)],
      pages: { whe_2: [[stranded]] },
      ...given,
    });

    await expect(world.audit(wake, always)).rejects.toThrow('throttled');
    expect(world.woken).toMatchObject([{ key: stranded.key }]);
  });

  it.each(['areQueuesEmpty', 'readAuditedDelivery', 'markDue'])('throws when %s fails', async (port) => {
    const world = withDeliveries([listed(1)], { deps: { [port]: throttled } });

    await expect(world.audit(wake, always)).rejects.toThrow('throttled');
  });
});

describe('auditDeliveries() of many customers', () => {
  const customers = (count: number) =>
    Array.from({ length: count }, (_, number) => `cus_${String(number).padStart(4, '0')}`);
  const strandedOf = (of: string) => listed(1, {}, { customerId: of });

  /**
   * A table in which each read takes ten milliseconds.
   *
   * @param ids customers, each with one stranded delivery, unless it is busy
   * @param busy customers with many endpoints in the span, by their number, but without deliveries
   */
  function createLarge(ids: readonly string[], busy: ReadonlyMap<string, number> = new Map()) {
    const reads = new Map<string, number>();
    let spent = 0;
    const read = async <T>(of: string, value: T): Promise<T> => {
      reads.set(of, (reads.get(of) ?? 0) + 1);
      spent += 10;
      return value;
    };
    const endpointsOf = (of: string) =>
      Array.from({ length: busy.get(of) ?? 1 }, (_, number) => endpoint(`whe_${number}`, of));
    const wokenOf: { readonly customerId: string; readonly reads: ReadonlyMap<string, number> }[] = [];
    const { audit } = createWorld({
      customers: Array.from({ length: Math.ceil(ids.length / 25) }, (_, page) =>
        ids.slice(page * 25, page * 25 + 25),
      ),
      deps: {
        listEndpointsSince: (of) => read(of, endpointsOf(of)),
        readAuditedDeliveries: async function* ({ customerId: of }) {
          yield await read(of, busy.has(of) ? [] : [strandedOf(of)]);
        },
        readAuditedDelivery: ({ customerId: of }) => read(of, strandedOf(of)),
        markDue: async ({ customerId: of }) => {
          wokenOf.push({ customerId: of, reads: new Map(reads) });
          return true;
        },
      },
    });
    /** Runs the audit of the span that begins some hours later, for a time in milliseconds. */
    const run = (time: number, later = 0) => {
      spent = 0;
      const moved = { from: span.from + later * hour, to: span.to + later * hour, requeue: true };
      return audit(moved, () => spent < time);
    };
    return { run, reads, wokenOf };
  }

  it.each([0, 1, 2])(
    'finds the stranded deliveries of all others before those of one who deleted 200,000 endpoints (%s hours later)',
    async (later) => {
      const ids = customers(60);
      const [busy = ''] = ids;
      const { run, wokenOf } = createLarge(ids, new Map([[busy, 200_000]]));

      const audit = await run(15 * minute, later);

      expect(audit).toMatchObject({ complete: false, pending: { stranded: 59 }, requeued: 59 });
      expect(audit.unfinished).toEqual([busy]);
      expect(wokenOf.at(-1)?.reads.get(busy)).toBeLessThanOrEqual(25);
    },
  );

  it('uses its remaining time for a customer with many endpoints', async () => {
    const ids = customers(60);
    const { run, reads } = createLarge(ids, new Map([[ids[59] ?? '', 200_000]]));

    await run(15 * minute);

    expect(reads.get(ids[59] ?? '')).toBeGreaterThan(80_000);
  });

  it('gives every customer a turn before any customer has a second one', async () => {
    const ids = customers(100);
    const busy = ids.slice(0, 90);
    const { run, wokenOf } = createLarge(ids, new Map(busy.map((id) => [id, 10_000])));

    const { unfinished } = await run(30_000);

    expect(wokenOf.map(({ customerId: of }) => of).toSorted()).toEqual(ids.slice(90));
    expect(unfinished.toSorted()).toEqual(busy);
  });

  it('reaches all customers within three hours when it has time for half, before their span is over', async () => {
    const ids = customers(400);
    const { run, wokenOf } = createLarge(ids);
    const halfOfThem = (ids.length / 2) * 30;

    const complete: boolean[] = [];
    for (const later of [0, 1, 2]) complete.push((await run(halfOfThem, later)).complete);

    expect(complete).toEqual([false, false, false]);
    expect([...new Set(wokenOf.map(({ customerId: of }) => of))].toSorted()).toEqual(ids);
  });
});
