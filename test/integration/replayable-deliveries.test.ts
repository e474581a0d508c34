import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { countReplayable, readReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import { bulkReplayedId, type ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { DeliveryStatus } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { CountLimits } from '#shared/operations/replays/ports.ts';
import { useTable } from '../support/aws/table.ts';
import { walkPages } from '../support/operations/walk-pages.ts';
import {
  buildDelivery,
  buildEndpoint,
  handshakeBody,
  hour,
  runBody,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const jobId = 'rpl_1';
const selection: ReplaySelection = {
  status: 'failed',
  createdAfter: startOfTest,
  createdBefore: startOfTest + hour,
};

type Row = {
  readonly at: number;
  readonly status?: DeliveryStatus;
  /** 'own': the job's replay. */
  readonly replayedBy?: string;
  readonly body?: string;
};

/** One delivery in each second of the selected time. */
const everySecond = (count: number, statusAt: (second: number) => DeliveryStatus = () => 'failed') =>
  Array.from(
    { length: count },
    (_, second): Row => ({ at: selection.createdAfter + second * 1000, status: statusAt(second) }),
  );

/** Stores deliveries of an endpoint. @returns their ids, in the order given */
async function store(
  endpoint: ReturnType<typeof buildEndpoint>,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const items = rows.map(({ at, status = 'failed', replayedBy, body = runBody }, number) => {
    const id = deliveryId(at, digest(endpoint.id, String(number)), endpoint.deliveryPartitions);
    const item = toDeliveryItem(buildDelivery({ id, webhookId: endpoint.id, status, body }));
    if (replayedBy === undefined) return item;
    return { ...item, replayed_by: replayedBy === 'own' ? bulkReplayedId(jobId, id, at, 1) : replayedBy };
  });
  await current().putItems(items);
  return items.map(({ sk }) => sk);
}

const jobOf = (asked: ReplaySelection) => ({ id: jobId, selection: asked });

/** Reads all pages. */
async function walk(endpoint: ReturnType<typeof buildEndpoint>, asked: ReplaySelection, limit: number) {
  const replayedEarlier: string[] = [];
  const pages = await walkPages(async (position) => {
    const page = await readReplayable(current())(endpoint, jobOf(asked), position);
    expect(page.deliveries.length).toBeLessThanOrEqual(limit);
    replayedEarlier.push(...page.replayedEarlier);
    return { rows: page.deliveries.map(({ id }) => id), next: page.next };
  }, limit);
  return { ids: pages.flat(), replayedEarlier };
}

const count = (
  endpoint: ReturnType<typeof buildEndpoint>,
  asked = selection,
  limits: CountLimits = { mayContinue: () => true },
) => countReplayable(current())(endpoint, asked, limits);

describe('the deliveries of a bulk replay', () => {
  it('the deliveries of a bulk replay are those of the selected time with the status, without test events', async () => {
    const endpoint = buildEndpoint();
    const [first, , , replayed, , last] = await store(endpoint, [
      { at: selection.createdAfter },
      { at: selection.createdAfter, status: 'delivered' },
      { at: selection.createdAfter, status: 'pending' },
      { at: selection.createdAfter, replayedBy: 'whd_replay' },
      { at: selection.createdAfter, body: handshakeBody },
      { at: selection.createdBefore - 1 },
      { at: selection.createdBefore },
      { at: selection.createdAfter - 1 },
    ]);

    const page = await readReplayable(current())(endpoint, jobOf(selection), { after: null, limit: 10 });

    expect(page).toMatchObject({
      deliveries: [first, last].map((id) => ({ id, status: 'failed' })),
      replayedEarlier: [replayed],
      next: null,
    });
    expect(await count(endpoint)).toEqual({
      replayable: 2,
      replayedEarlier: 1,
      oldest: selection.createdAfter,
      newest: selection.createdBefore - 1,
      complete: true,
    });
    expect(await count(endpoint, { ...selection, status: 'delivered' })).toMatchObject({ replayable: 1 });
    expect(await count(endpoint, { ...selection, createdAfter: selection.createdBefore })).toMatchObject({
      replayable: 0,
      oldest: null,
    });
  });

  it('the deliveries of a bulk replay are read oldest first, each once, without those replayed by others, over any partitions and mixtures', async () => {
    const row = fc.record(
      {
        at: fc.integer({ min: -3, max: 40 }).map((offset) => selection.createdAfter + offset),
        status: fc.constantFrom('failed' as const, 'failed' as const, 'delivered' as const),
        replayedBy: fc.constantFrom('whd_replay', 'own'),
      },
      { requiredKeys: ['at', 'status'] },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 60 }),
        fc.constantFrom(1, 3, 8),
        fc.integer({ min: 1, max: 20 }),
        async (rows, deliveryPartitions, limit) => {
          run += 1;
          const id = makeId('webhook', startOfTest, digest('run', String(run)));
          const endpoint = buildEndpoint({ id, deliveryPartitions });
          const ids = await store(endpoint, rows);
          const selected = rows
            .map(({ replayedBy, ...row }, index) => ({ ...row, replayedBy, id: ids[index] ?? '' }))
            .filter(({ at, status }) => status === 'failed' && at >= selection.createdAfter)
            .toSorted((one, other) => (one.id < other.id ? -1 : 1));
          const replayed = selected.filter(({ replayedBy }) => replayedBy === 'whd_replay');
          const replayable = selected.filter(({ replayedBy }) => replayedBy === undefined).length;

          expect(await walk(endpoint, selection, limit)).toEqual({
            ids: selected.filter((row) => !replayed.includes(row)).map(({ id }) => id),
            replayedEarlier: replayed.map(({ id }) => id),
          });
          expect(await count(endpoint)).toMatchObject({
            replayable,
            replayedEarlier: selected.length - replayable,
            complete: true,
          });
        },
      ),
      { numRuns: 8 },
    );
  });

  it('the deliveries of a bulk replay are read without a gap when the reads of a page end at different times in each partition', async () => {
    const endpoint = buildEndpoint({ deliveryPartitions: 8 });
    const ids = await store(endpoint, everySecond(1_000));

    // As many as a page reads, so that the rows before the earliest of these times do not fill it.
    expect(await walk(endpoint, selection, 500)).toEqual({ ids, replayedEarlier: [] });
  });

  it('the deliveries of a bulk replay are read on after pages in which nothing matches', async () => {
    const endpoint = buildEndpoint();
    const rows = everySecond(600, () => 'delivered');
    const ids = await store(endpoint, [...rows, { at: selection.createdBefore - 1 }]);

    const page = await readReplayable(current())(endpoint, jobOf(selection), { after: null, limit: 10 });

    expect(page).toEqual({ deliveries: [], replayedEarlier: [], next: ids[499] });
    expect(await walk(endpoint, selection, 10)).toEqual({ ids: [ids.at(-1)], replayedEarlier: [] });
  });
});

describe('what a count of replayable deliveries costs', () => {
  it('what a count of replayable deliveries costs reads the selected time alone', async () => {
    const endpoint = buildEndpoint();
    const shifts = [-hour, 0, hour];
    await store(
      endpoint,
      shifts.flatMap((shift) => everySecond(30).map(({ at }) => ({ at: at + shift }))),
    );
    current().takeReadRows();

    const counted = await count(endpoint);

    const newest = selection.createdAfter + 29_000;
    expect(counted).toMatchObject({ replayable: 30, oldest: selection.createdAfter, newest });
    expect(current().takeReadRows()).toBe(30);
  });

  it('what a count of replayable deliveries costs reads no more deliveries in a round than it may, selected or not, and says how many', async () => {
    const endpoint = buildEndpoint({ deliveryPartitions: 3 });
    await store(
      endpoint,
      everySecond(300, (second) => (second % 10 === 0 ? 'failed' : 'delivered')),
    );
    const reads: number[] = [];
    const mayContinue: CountLimits['mayContinue'] = ({ read }) => reads.push(read) > 0;

    expect(await count(endpoint, selection, { roundReads: 40, mayContinue })).toMatchObject({
      replayable: 30,
      complete: true,
    });

    const rounds = reads.slice(1).map((read, index) => read - (reads[index] ?? 0));
    expect(Math.max(...rounds)).toBeLessThanOrEqual(42);
    // All but the reads of the last round.
    expect(reads.at(-1)).toBeGreaterThanOrEqual(300 - 42);
  });

  it('what a count of replayable deliveries costs ends when it may not continue, and says so', async () => {
    const endpoint = buildEndpoint({ deliveryPartitions: 8 });
    await store(endpoint, everySecond(80));
    let rounds = 0;

    const counted = await count(endpoint, selection, { mayContinue: () => ++rounds <= 1 });

    expect(counted.complete).toBe(false);
    expect(counted.replayable).toBeGreaterThan(0);
    expect(counted.replayable).toBeLessThan(80);
  });
});
