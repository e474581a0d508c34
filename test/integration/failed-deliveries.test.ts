import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { countReplayable, readReplayable } from '#shared/aws/table/failed-deliveries.ts';
import type { DeliveryStatus } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { idTime, makeId } from '#shared/domain/ids.ts';
import type { ReplayRange } from '#shared/operations/replays/replayable.ts';
import { useTable } from '../support/aws/table.ts';
import {
  buildDelivery,
  buildEndpoint,
  handshakeBody,
  runBody,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const hour = 60 * 60_000;
const range: ReplayRange = { status: 'failed', from: startOfTest, to: startOfTest + hour };

type Row = {
  readonly at: number;
  readonly status?: DeliveryStatus;
  readonly replayedBy?: string;
  readonly body?: string;
};

/** Stores deliveries of an endpoint. @returns their ids, in the order given */
async function store(
  endpoint: ReturnType<typeof buildEndpoint>,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const items = rows.map(({ at, status = 'failed', replayedBy, body = runBody }, number) => {
    const id = deliveryId(at, digest(endpoint.id, String(number)), endpoint.deliveryPartitions);
    const item = toDeliveryItem(buildDelivery({ id, webhookId: endpoint.id, status, body }));
    return replayedBy === undefined ? item : { ...item, replayed_by: replayedBy };
  });
  for (let start = 0; start < items.length; start += 25) {
    const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await current().client.batchWrite({ RequestItems: { [current().name]: puts } });
  }
  return items.map(({ sk }) => sk);
}

/** Reads all pages. */
async function walk(endpoint: ReturnType<typeof buildEndpoint>, asked: ReplayRange, limit: number) {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page = await readReplayable(current())(endpoint, asked, { after, limit });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids;
}

const count = (endpoint: ReturnType<typeof buildEndpoint>, asked = range, mayContinue = () => true) =>
  countReplayable(current())(endpoint, asked, mayContinue);

describe('the deliveries of a bulk replay', () => {
  it('are those of the range with the status that were not replayed, without test events', async () => {
    const endpoint = buildEndpoint();
    const [first, , , , , last] = await store(endpoint, [
      { at: range.from },
      { at: range.from, status: 'delivered' },
      { at: range.from, status: 'pending' },
      { at: range.from, replayedBy: 'whd_replay' },
      { at: range.from, body: handshakeBody },
      { at: range.to - 1 },
      { at: range.to },
      { at: range.from - 1 },
    ]);

    const page = await readReplayable(current())(endpoint, range, { after: null, limit: 10 });

    const { customerId, id: webhookId } = endpoint;
    const { body, event } = buildDelivery();
    expect(page).toEqual({
      rows: [first, last].map((id) => ({ id, customerId, webhookId, body, event })),
      next: null,
    });
    expect(await count(endpoint)).toEqual({
      replayable: 2,
      replayedEarlier: 1,
      oldest: range.from,
      newest: range.to - 1,
      complete: true,
    });
    expect(await count(endpoint, { ...range, status: 'delivered' })).toMatchObject({ replayable: 1 });
    expect(await count(endpoint, { ...range, from: range.to })).toMatchObject({
      replayable: 0,
      oldest: null,
    });
  });

  it('are read oldest first, each once, over any partitions, page sizes and mixtures', async () => {
    const row = fc.record({
      at: fc.integer({ min: -3, max: 40 }).map((offset) => range.from + offset),
      status: fc.constantFrom('failed' as const, 'failed' as const, 'delivered' as const),
      replayedBy: fc.option(fc.constant('whd_replay'), { nil: undefined, freq: 4 }),
    });
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
          const given = rows.map(
            ({ replayedBy, ...rest }): Row => (replayedBy === undefined ? rest : { ...rest, replayedBy }),
          );
          const ids = await store(endpoint, given);
          const expected = ids
            .filter((_, index) => given[index]?.status === 'failed' && given[index]?.replayedBy === undefined)
            .filter((each) => idTime(each) >= range.from)
            .toSorted();

          expect(await walk(endpoint, range, limit)).toEqual(expected);
          expect(await count(endpoint)).toMatchObject({ replayable: expected.length, complete: true });
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are read on after pages in which nothing matches', async () => {
    const endpoint = buildEndpoint();
    const rows = Array.from(
      { length: 1_200 },
      (_, second): Row => ({ at: range.from + second * 1000, status: 'delivered' }),
    );
    const ids = await store(endpoint, [...rows, { at: range.to - 1 }]);

    const page = await readReplayable(current())(endpoint, range, { after: null, limit: 10 });

    expect(page).toEqual({ rows: [], next: ids[499] });
    expect(await walk(endpoint, range, 10)).toEqual([ids.at(-1)]);
  });
});

describe('what a count of replayable deliveries costs', () => {
  /** A megabyte of deliveries inside of the range, and as many outside. */
  const bigBody = JSON.stringify({ ...JSON.parse(runBody), filler: 'x'.repeat(9_000) });

  it('reads the range alone, at half a read unit for each 4 KB', async () => {
    const endpoint = buildEndpoint();
    const rows = (from: number) =>
      Array.from({ length: 300 }, (_, second): Row => ({ at: from + second * 1000, body: bigBody }));
    await store(endpoint, [...rows(range.from - hour), ...rows(range.from), ...rows(range.to)]);
    current().takeReadUnits();

    const counted = await count(endpoint);

    expect(counted).toMatchObject({ replayable: 300, oldest: range.from, newest: range.from + 299_000 });
    const kilobytes = (300 * bigBody.length) / 1024;
    const units = current().takeReadUnits();
    expect(units).toBeGreaterThan(kilobytes / 8);
    expect(units).toBeLessThan(kilobytes / 8 + 25);
  });

  it('ends when it may not continue, and says so', async () => {
    const endpoint = buildEndpoint({ deliveryPartitions: 8 });
    await store(
      endpoint,
      Array.from({ length: 80 }, (_, second): Row => ({ at: range.from + second * 1000 })),
    );
    let rounds = 0;

    const counted = await count(endpoint, range, () => ++rounds <= 1);

    expect(counted.complete).toBe(false);
    expect(counted.replayable).toBeGreaterThan(0);
    expect(counted.replayable).toBeLessThan(80);
  });
});
