import { describe, expect, it } from 'vitest';
import { customerListKey, deliveryKey } from '#shared/aws/table/keys.ts';
import { storeBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import { type AuditRequest, auditDeliveries } from '#shared/operations/delivery/audit-deliveries.ts';
import { createClock, createReports } from '../../../support/operations/deps.ts';
import { askedTable } from '../../../support/table/asked-table.ts';
import { RecordTable } from '../../../support/table/record-table.ts';
import {
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  hour,
  minute,
  startOfTest as now,
  otherWebhookId,
  webhookId,
} from '../../../support/values/builders.ts';

const otherCustomerId = 'cus_01KDVDRN00000000000000000B';
const always = () => true;
const throttled = new Error('throttled');
const look: AuditRequest = { from: now - 9 * hour, to: now, requeue: false };
const wake: AuditRequest = { ...look, requeue: true };

type Row = { readonly delivery: Delivery; readonly dueAt: number | null };
type RowFacts = Partial<Delivery & Row> & { readonly createdAt?: number };

/** A delivery of seven hours ago, younger with its number; stranded unless `given` says otherwise. */
function row(number: number, { createdAt = now - 7 * hour + number, dueAt = null, ...given }: RowFacts = {}): Row {
  const id = deliveryId(createdAt, digest('audited', String(number)), 1);
  return { delivery: buildDelivery({ id, ...given }), dueAt };
}

const keyOf = ({ delivery: { customerId: of, webhookId: to, id } }: Row) => ({
  customerId: of,
  webhookId: to,
  id,
});

/** What the audit tells of a delivery. */
const audited = (one: Row): AuditedDelivery => ({
  key: keyOf(one),
  status: one.delivery.status,
  createdAt: idTime(one.delivery.id),
  leaseUntil: one.delivery.claim?.leaseUntil ?? null,
  dueAt: one.dueAt,
});

type Given = {
  readonly endpoints?: readonly Partial<Endpoint>[];
  /** Changes the table in the last millisecond: lists of deliveries do not show it. */
  readonly meanwhile?: (table: RecordTable) => void;
  /** Called for each request, such as `update DLV`, with its input, before it has an effect. Throws to fail it. */
  readonly strike?: (request: string, input: string, table: RecordTable) => void;
  readonly areQueuesEmpty?: () => Promise<boolean>;
};

function createWorld(rows: readonly Row[], given: Given = {}) {
  const { endpoints = [{}], meanwhile, strike, areQueuesEmpty = async () => true } = given;
  const clock = createClock(now - 1);
  const table = new RecordTable(clock.now);
  for (const each of endpoints.map(buildEndpoint)) {
    table.addCustomer(each.customerId);
    table.addEndpoint(each);
  }
  for (const { delivery, dueAt } of rows) table.putDelivery(delivery, dueAt);
  clock.pass(1);
  meanwhile?.(table);
  const asked: string[] = [];
  const { report, events } = createReports();
  const audit = auditDeliveries({
    table: askedTable(table, {
      io: async ({ name, input }, effect) => {
        asked.push(name);
        strike?.(name, JSON.stringify(input), table);
        return effect(name === 'query DLV' ? 1 : 0);
      },
    }),
    now: clock.now,
    report,
    areQueuesEmpty: () => {
      asked.push('queues');
      return areQueuesEmpty();
    },
  });
  /** The deliveries that the next sweep continues, which are the stranded ones that were marked as due. */
  const woken = () => table.waitingBefore(now - 2 * minute).map(keyOf);
  return { audit, asked, events, table, woken };
}

describe('auditDeliveries()', () => {
  it('counts deliveries by status, and pending deliveries by what will wake them, and reads only a suspect again', async () => {
    const claim = { fencingToken: 'its', leaseUntil: now + 1 };
    const [held, stranded] = [row(4, { claim }), row(8)];
    const world = createWorld([
      row(1, { status: 'delivered' }),
      row(2, { status: 'delivered' }),
      row(3, { status: 'failed' }),
      held,
      row(5, { dueAt: now + hour }),
      row(6, { dueAt: now - 16 * minute }),
      row(7, { createdAt: now - minute }),
      stranded,
      row(9, { createdAt: look.from - 1 }),
    ]);

    const audit = await world.audit(look, always);

    expect(audit).toEqual({
      from: look.from,
      to: look.to,
      complete: true,
      unfinished: [],
      deliveries: { delivered: 2, failed: 1, pending: 5 },
      pending: { in_flight: 1, waiting: 1, overdue: 1, queued: 1, stranded: 1 },
      oldestPending: audited(held),
      oldestStranded: audited(stranded),
      stranded: [keyOf(stranded)],
      requeued: 0,
      stalledReplays: [],
    });
    expect(world.asked.filter((name) => name === 'get DLV')).toHaveLength(1);
    // The depth of the queues is read before the deliveries.
    expect(world.asked[0]).toBe('queues');
    // A stranded delivery is reported, and not changed unless waking is requested.
    expect(world.events).toEqual([
      { name: 'delivery.stranded', delivery: keyOf(stranded), createdAt: now - 7 * hour + 8 },
    ]);
    expect(world.asked).not.toContain('update DLV');
  });

  it('names the oldest pending and the oldest stranded delivery, in any order of the list', async () => {
    const owner = { customerId: otherCustomerId };
    const oldest = row(2, { ...owner, createdAt: now - 9 * hour, dueAt: now });
    const oldestStranded = row(4, { createdAt: now - 8 * hour });
    const world = createWorld([row(1), oldest, row(3, owner), oldestStranded, row(6)], {
      endpoints: [{}, owner],
    });

    expect(await world.audit(look, always)).toMatchObject({
      oldestPending: audited(oldest),
      oldestStranded: audited(oldestStranded),
    });
  });

  it('audits every endpoint of every customer, and those that a clock ahead deleted since the span began', async () => {
    const rows = ['whe_1', 'whe_2', 'whe_deleted', 'whe_gone'].map((id, number) => row(number, { webhookId: id }));
    const other = { customerId: otherCustomerId, webhookId: 'whe_other' };
    const gone = look.from - 15 * minute;
    const world = createWorld([...rows, row(5, other)], {
      endpoints: [{ id: 'whe_1' }, { id: 'whe_2' }, { id: 'whe_other', customerId: otherCustomerId }],
      meanwhile: (table) => {
        table.putTombstone(buildEndpoint({ id: 'whe_deleted' }), gone);
        table.putTombstone(buildEndpoint({ id: 'whe_gone' }), gone - 1);
      },
    });

    const { stranded } = await world.audit(look, always);

    const seen = stranded.map((key) => key.webhookId);
    expect(seen.toSorted()).toEqual(['whe_1', 'whe_2', 'whe_deleted', 'whe_other']);
  });

  it('counts a young delivery as queued while the queues are not empty', async () => {
    const world = createWorld([row(1, { createdAt: now - hour })], { areQueuesEmpty: async () => false });

    expect((await world.audit(look, always)).pending).toMatchObject({ stranded: 0, queued: 1 });
  });

  it('reads a suspect again, and counts its present state unless it is gone', async () => {
    const [delivered, waiting, stranded, gone] = [row(1), row(2), row(3), row(4, { createdAt: now - 8 * hour })];
    const world = createWorld([delivered, waiting, stranded, gone], {
      meanwhile: (table) => {
        table.putDelivery({ ...delivered.delivery, status: 'delivered' }, null);
        table.putDelivery(waiting.delivery, now);
        table.remove(deliveryKey(gone.delivery));
      },
    });

    const audit = await world.audit(wake, always);

    expect(audit.deliveries).toEqual({ delivered: 1, failed: 0, pending: 2 });
    expect(audit.pending).toMatchObject({ waiting: 1, stranded: 1 });
    expect(audit.oldestPending).not.toEqual(audited(gone));
    expect(audit.stranded).toEqual([keyOf(stranded)]);
    expect(world.woken()).toEqual([keyOf(stranded)]);
    expect(world.events).toHaveLength(1);
  });
});

describe('auditDeliveries() about a stranded delivery', () => {
  it('makes a stranded delivery due at once, so that the next sweep wakes it', async () => {
    const world = createWorld([row(1), row(2, { dueAt: now - hour })]);

    const audit = await world.audit(wake, always);

    expect(audit.requeued).toBe(1);
    expect([...world.table.deliveries].map(({ dueAt }) => dueAt)).toEqual([now - 3 * minute, now - hour]);
  });

  it('counts a delivery that another process woke meanwhile as stranded, but not as woken', async () => {
    const world = createWorld([row(1)], {
      strike: (request, _, table) => {
        if (request === 'update DLV') table.putDelivery(row(1).delivery, now);
      },
    });

    expect(await world.audit(wake, always)).toMatchObject({ pending: { stranded: 1 }, requeued: 0 });
  });

  it('counts and wakes every stranded delivery, also those beyond the 100 that it lists', async () => {
    const rows = Array.from({ length: 103 }, (_, number) => row(number));
    const world = createWorld(rows);

    const audit = await world.audit(wake, always);

    expect(audit).toMatchObject({ pending: { stranded: 103 }, requeued: 103 });
    expect(audit.stranded).toEqual(rows.slice(0, 100).map(keyOf));
    expect(world.events).toHaveLength(103);
  });

  it('names each bulk replay that has taken no step for longer than its message can be on a queue', async () => {
    const stalled = buildBulkReplay({}, now - 6 * hour - 1);
    const running = buildBulkReplay({ webhookId: otherWebhookId }, now - 6 * hour);
    const world = createWorld([], { endpoints: [{}, { id: otherWebhookId }, { id: 'whe_idle' }] });
    for (const job of [stalled, running]) await storeBulkReplay(askedTable(world.table), job);

    const { stalledReplays } = await world.audit(look, always);

    const key = { customerId, webhookId, id: stalled.id };
    expect(stalledReplays).toEqual([{ key, lastStepAt: now - 6 * hour - 1 }]);
    expect(world.events).toEqual([{ name: 'replay.stalled', key, lastStepAt: now - 6 * hour - 1 }]);
  });
});

describe('auditDeliveries() when its time is up', () => {
  it.each([
    ['no further page', 2],
    ['nothing more of a page, even if it contains stranded deliveries', 1],
  ])('reads %s, and reports that it is not complete', async (_, suspects) => {
    // The second partition is another page.
    const world = createWorld([row(1), row(2)], { endpoints: [{ deliveryPartitions: 2 }] });
    const count = (name: string) => world.asked.filter((each) => each === name).length;

    const audit = await world.audit(wake, () => count('update DLV') < suspects);

    const found = { pending: { stranded: suspects }, requeued: suspects };
    expect(audit).toMatchObject({ complete: false, unfinished: [customerId], ...found });
    expect(count('query DLV')).toBe(1);
  });

  it('reads neither the endpoints of a customer nor further customers', async () => {
    const world = createWorld([]);
    for (const id of ['cus_1', 'cus_2', 'cus_3'])
      world.table.put({ ...customerListKey(id), name: 'x'.repeat(390_000) });

    const nothing = { deliveries: { pending: 0 }, oldestPending: null, oldestStranded: null };
    expect(await world.audit(wake, () => false)).toMatchObject({ complete: false, ...nothing });
    expect(world.asked).toEqual(['queues', 'query CUSTOMERS']);
  });
});

describe('auditDeliveries() when a request fails', () => {
  const owner = { customerId: otherCustomerId };
  const [one, two] = [{ webhookId: 'whe_1' }, { webhookId: 'whe_2' }];

  it.each<[string, RowFacts, string]>([
    ['the endpoints of a customer', owner, `query CUS#${customerId}`],
    ['the endpoints of another customer', one, `query CUS#${otherCustomerId}`],
    ['the deliveries of an endpoint', two, 'query DLV#.*#whe_1#'],
    ['a suspect', two, 'get DLV.*#whe_1#'],
    ['a mark', two, 'update DLV.*#whe_1#'],
  ])('throws when %s cannot be reached, after it has audited everything else', async (_, other, failing) => {
    const [operation = '', key = ''] = failing.split(' ');
    const rows = [row(1, one), row(2, two), row(3, owner)];
    const world = createWorld(rows, {
      endpoints: [{ id: 'whe_1' }, { id: 'whe_2' }, owner],
      strike: (request, input) => {
        if (request.startsWith(operation) && new RegExp(key).test(input)) throw throttled;
      },
    });

    await expect(world.audit(wake, always)).rejects.toBe(throttled);
    expect(world.woken()).toContainEqual(expect.objectContaining(other));
  });

  it('throws when the queues cannot be counted', async () => {
    const world = createWorld([row(1)], { areQueuesEmpty: () => Promise.reject(throttled) });

    await expect(world.audit(wake, always)).rejects.toBe(throttled);
  });
});

describe('auditDeliveries() of many customers', () => {
  const customers = (count: number) =>
    Array.from({ length: count }, (_, number) => `cus_${String(number).padStart(4, '0')}`);

  /**
   * Customers, each with an endpoint that has one stranded delivery.
   *
   * @param busy of them, those with many deleted endpoints in the span and no delivery
   */
  function createLarge(ids: readonly string[], busy: readonly string[] = [], deleted = 0) {
    const reads = new Map<string, number>();
    const wokenOf: { readonly customerId: string; readonly reads: ReadonlyMap<string, number> }[] = [];
    const rows = ids.filter((id) => !busy.includes(id)).map((id) => row(1, { customerId: id }));
    let spent = 0;
    const world = createWorld(rows, {
      endpoints: ids.map((id) => ({ customerId: id })),
      strike: (request, input) => {
        const [of] = /cus_\d{4}/.exec(input) ?? [];
        if (of === undefined) return;
        spent += 1;
        reads.set(of, (reads.get(of) ?? 0) + 1);
        if (request === 'update DLV') wokenOf.push({ customerId: of, reads: new Map(reads) });
      },
    });
    for (const of of busy)
      world.table.putTombstones(
        Array.from({ length: deleted }, (_, number) => buildEndpoint({ customerId: of, id: `whe_${number}` })),
        now - hour,
      );
    /** Runs the audit of the span that ends some hours later, for a number of requests about customers. */
    const run = (requests: number, later = 0) => {
      spent = 0;
      return world.audit({ ...wake, to: wake.to + later * hour }, () => spent < requests);
    };
    return { run, reads, wokenOf };
  }

  it.each([0, 1, 2])(
    'finds the stranded deliveries of all others before those of one who deleted many endpoints, and uses its remaining time for these (%s hours later)',
    async (later) => {
      const ids = customers(60);
      const [busy = ''] = ids;
      const { run, reads, wokenOf } = createLarge(ids, [busy], 1_000);

      const audit = await run(1_500, later);

      expect(audit).toMatchObject({ complete: false, pending: { stranded: 59 }, requeued: 59 });
      expect(audit.unfinished).toEqual([busy]);
      expect(wokenOf.at(-1)?.reads.get(busy)).toBeLessThanOrEqual(2 * 25);
      expect(reads.get(busy)).toBeGreaterThan(1_000);
    },
  );

  it('gives every customer a turn before any customer has a second one', async () => {
    const ids = customers(100);
    const busy = ids.slice(0, 90);
    const { run, wokenOf } = createLarge(ids, busy, 60);

    const { unfinished } = await run(90 * 60);

    expect(wokenOf.map(({ customerId: of }) => of).toSorted()).toEqual(ids.slice(90));
    expect(unfinished.toSorted()).toEqual(busy);
  });

  it('reaches all customers within three hours when it has time for half, before their span is over', async () => {
    const ids = customers(400);
    const { run, wokenOf } = createLarge(ids);
    // Three lists of endpoints, and of its one endpoint the deliveries, the suspect, the mark and the replay.
    const halfOfThem = (ids.length / 2) * 7;

    const complete: boolean[] = [];
    for (const later of [0, 1, 2]) complete.push((await run(halfOfThem, later)).complete);

    expect(complete).toEqual([false, false, false]);
    expect([...new Set(wokenOf.map(({ customerId: of }) => of))].toSorted()).toEqual(ids);
  });
});
