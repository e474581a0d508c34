import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { eventReplayKey } from '#shared/aws/table/keys.ts';
import { type CountLimits, countReplayable, readReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import { type DeliveryStatus, replayOf } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { firstIdAt, makeId } from '#shared/domain/ids.ts';
import { EventChoice } from '#shared/operations/replays/event-choice.ts';
import { useTable } from '../support/aws/table.ts';
import { walkPages } from '../support/operations/walk-pages.ts';
import {
  buildDelivery,
  buildEndpoint,
  eventId,
  handshakeBody,
  hour,
  runBody,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const selection: ReplaySelection = {
  status: 'failed',
  createdAfter: startOfTest,
  createdBefore: startOfTest + hour,
};

const firstPage = { after: null, limit: 10 };

type Row = {
  readonly at: number;
  readonly status?: DeliveryStatus;
  /** The status of the replay that it names. */
  readonly replayedBy?: DeliveryStatus;
  readonly body?: string;
};

/** One delivery in each second of the selected time. */
const everySecond = (count: number, statusAt: (second: number) => DeliveryStatus = () => 'failed') =>
  Array.from(
    { length: count },
    (_, second): Row => ({ at: selection.createdAfter + second * 1000, status: statusAt(second) }),
  );

/** Stores deliveries of an endpoint, each of an event of its own. @returns their ids, in the order given */
async function store(endpoint: ReturnType<typeof buildEndpoint>, rows: readonly Row[]): Promise<readonly string[]> {
  const items = rows.flatMap(({ at, status = 'failed', replayedBy, body = runBody }, number) => {
    const id = deliveryId(at, digest(endpoint.id, String(number)), endpoint.deliveryPartitions);
    const own = body.replace(eventId, `evt_${number}`);
    const delivery = buildDelivery({ id, webhookId: endpoint.id, status, body: own });
    if (replayedBy === undefined) return [toDeliveryItem(delivery)];
    const replayId = deliveryId(selection.createdBefore, digest('replay', id), endpoint.deliveryPartitions);
    const replay = { ...replayOf(delivery, replayId), status: replayedBy };
    const row = { ...eventReplayKey(replay, replay.event.id) };
    return [{ ...toDeliveryItem(delivery), replayed_by: replayId }, toDeliveryItem(replay), row];
  });
  await current().putItems(items);
  const before = firstIdAt('delivery', selection.createdBefore);
  const isSelectable = ({ pk, sk }: { pk: string; sk: string }) =>
    pk.startsWith('DLV#') &&
    (sk < before || items.every((item) => !('replayed_by' in item) || item.replayed_by !== sk));
  return items.filter(isSelectable).map(({ sk }) => sk);
}

const jobOf = (asked: ReplaySelection) => ({ selection: asked });

/** Reads all pages. */
async function walk(endpoint: ReturnType<typeof buildEndpoint>, asked: ReplaySelection, limit: number) {
  const pages = await walkPages(async (position) => {
    const page = await readReplayable(current(), endpoint, jobOf(asked), position);
    return { rows: page.deliveries.map(({ id }) => id), next: page.next };
  }, limit);
  return pages.flat();
}

const count = (
  endpoint: ReturnType<typeof buildEndpoint>,
  asked = selection,
  limits: Omit<CountLimits, 'events'> = { mayContinue: () => true },
) => {
  const events = new EventChoice(current(), { endpoint, source: endpoint, status: asked.status, jobId: null });
  return countReplayable(current(), endpoint, asked, { ...limits, events });
};

describe('the deliveries of a bulk replay', () => {
  it('the deliveries of a bulk replay are those of the selected time with the status, without test events', async () => {
    const endpoint = buildEndpoint();
    const [first, , , replayed, , last] = await store(endpoint, [
      { at: selection.createdAfter },
      { at: selection.createdAfter, status: 'delivered' },
      { at: selection.createdAfter, status: 'pending' },
      { at: selection.createdAfter, replayedBy: 'delivered' },
      { at: selection.createdAfter, body: handshakeBody },
      { at: selection.createdBefore - 1 },
      { at: selection.createdBefore },
      { at: selection.createdAfter - 1 },
    ]);

    const page = await readReplayable(current(), endpoint, jobOf(selection), firstPage);

    expect(page).toMatchObject({
      deliveries: [first, replayed, last].toSorted().map((id) => ({ id, status: 'failed' })),
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

  it('the deliveries of a bulk replay are read oldest first, each once, and counted without those that were replayed, over any partitions and mixtures', async () => {
    const row = fc.record(
      {
        at: fc.integer({ min: -3, max: 40 }).map((offset) => selection.createdAfter + offset),
        status: fc.constantFrom('failed' as const, 'failed' as const, 'delivered' as const),
        replayedBy: fc.constantFrom('delivered' as const, 'pending' as const, 'failed' as const),
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
          const isReplayable = ({ replayedBy }: { replayedBy: Row['replayedBy'] | undefined }) =>
            replayedBy === undefined || replayedBy === 'failed';
          const replayable = selected.filter(isReplayable).length;

          expect(await walk(endpoint, selection, limit)).toEqual(selected.map(({ id }) => id));
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
    expect(await walk(endpoint, selection, 500)).toEqual(ids);
  });

  it('the deliveries of a bulk replay are read on after pages in which nothing matches', async () => {
    const endpoint = buildEndpoint();
    const rows = everySecond(600, () => 'delivered');
    const ids = await store(endpoint, [...rows, { at: selection.createdBefore - 1 }]);

    const page = await readReplayable(current(), endpoint, jobOf(selection), firstPage);

    expect(page).toEqual({ deliveries: [], next: ids[499] });
    expect(await walk(endpoint, selection, 10)).toEqual([ids.at(-1)]);
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
