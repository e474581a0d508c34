import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { readDeliveries, readRecentDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, deliveryPartition, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { PageRequest } from '#shared/operations/paging.ts';
import { useTable } from '../support/aws/table.ts';
import { walkPages } from '../support/operations/walk-pages.ts';
import { buildDelivery, buildEndpoint, startOfTest, webhookId } from '../support/values/builders.ts';

const { current } = useTable();

type Insert = { readonly count: number; readonly partitions: number };
type Walk = [before: Insert[], during: Insert[], limit: number, filtered: boolean];
type Filter = ((delivery: Delivery) => boolean) | null;

/** An endpoint whose deliveries are spread over ever more partitions, and what was delivered to it so far. */
class Journal {
  readonly id: string;
  readonly deliveries: Delivery[] = [];
  private partitions = 1;
  private time = startOfTest;

  constructor(id: string) {
    this.id = id;
  }

  get endpoint() {
    return buildEndpoint({ id: this.id, deliveryPartitions: this.partitions });
  }

  /** A few to each millisecond, as in a busy service. */
  async insert({ count, partitions }: Insert): Promise<void> {
    this.partitions = Math.max(this.partitions, partitions);
    this.time += 1;
    const added = Array.from({ length: count }, (_, index) => {
      const number = this.deliveries.length + index;
      const id = deliveryId(this.time + Math.floor(index / 3), digest(this.id, String(number)), this.partitions);
      return buildDelivery({ id, webhookId: this.id, status: number % 4 === 0 ? 'failed' : 'delivered' });
    });
    await current().putItems(added.map(toDeliveryItem));
    this.deliveries.push(...added);
    this.time += count;
  }

  newestFirst(matches: Filter = null): readonly string[] {
    const ids = this.deliveries.filter(matches ?? (() => true)).map(({ id }) => id);
    return ids.sort().reverse();
  }
}

/** The ids on each page of the whole list; `between` runs after each page. */
async function walk(
  journal: Journal,
  limit: number,
  { matches = null, between }: { matches?: Filter; between?: () => Promise<void> } = {},
) {
  const read = (page: PageRequest) => readDeliveries(current(), journal.endpoint, { ...page, matches });
  return (await walkPages(read, limit, between)).map((page) => page.map(({ id }) => id));
}

describe('readDeliveries()', () => {
  it('readDeliveries() finds each delivery by its id after an endpoint was spread wider', async () => {
    const journal = new Journal(webhookId);
    await journal.insert({ count: 20, partitions: 1 });
    await journal.insert({ count: 40, partitions: 8 });

    const found = await Promise.all(journal.deliveries.map((delivery) => readDelivery(current(), delivery)));

    expect(found).toEqual(journal.deliveries);
    expect(new Set(journal.deliveries.map((delivery) => toDeliveryItem(delivery).pk)).size).toBe(8);
  });

  it('readDeliveries() walks exactly what was there, whatever is inserted and however wide it is spread meanwhile', async () => {
    const insert = fc.record({
      count: fc.integer({ min: 0, max: 12 }),
      partitions: fc.integer({ min: 1, max: 8 }),
    });
    let run = 0;

    await fc.assert(
      fc.asyncProperty(
        fc.array(insert, { minLength: 1, maxLength: 4 }),
        fc.array(insert, { maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (before, during, limit, filtered) => {
          run += 1;
          const journal = new Journal(makeId('webhook', startOfTest, digest('run', String(run))));
          for (const step of before) await journal.insert(step);
          const matches: Filter = filtered ? ({ status }) => status === 'failed' : null;
          const expected = journal.newestFirst(matches);
          const steps = [...during];

          const pages = await walk(journal, limit, {
            matches,
            between: async () => {
              const step = steps.shift();
              if (step !== undefined) await journal.insert(step);
            },
          });

          expect(pages.flat()).toEqual(expected);
          const full = Array.from({ length: Math.ceil(expected.length / limit) || 1 }, (_, page) =>
            expected.slice(page * limit, (page + 1) * limit),
          );
          if (!filtered) expect(pages, 'all but the last page are full').toEqual(full);
        },
      ),
      {
        numRuns: 16,
        examples: [1, 8].flatMap((partitions) =>
          [47, 20, 0].map((count): Walk => [[{ count, partitions }], [], 10, false]),
        ),
      },
    );
  });

  it.each([1, 8])(
    'readDeliveries() carries on after empty pages of a filter over %i partitions',
    async (partitions) => {
      const journal = new Journal(webhookId);
      await journal.insert({ count: partitions === 1 ? 620 : 2400, partitions });
      const oldest = journal.newestFirst().at(-1);

      const pages = await walk(journal, 10, { matches: ({ id }) => id === oldest });

      expect(pages.length).toBeGreaterThan(1);
      expect(pages.at(0)).toEqual([]);
      expect(pages.flat()).toEqual([oldest]);
    },
  );

  it('readDeliveries() ends a walk whose filter matches nothing', async () => {
    const journal = new Journal(webhookId);
    await journal.insert({ count: 40, partitions: 4 });

    expect(await walk(journal, 10, { matches: () => false })).toEqual([[]]);
  });

  it('readDeliveries() shows nothing of another endpoint or customer', async () => {
    const journal = new Journal(webhookId);
    await journal.insert({ count: 3, partitions: 1 });
    const stranger = buildEndpoint({ customerId: 'cus_another' });

    const page = await readDeliveries(current(), stranger, { after: null, limit: 10, matches: null });

    expect(page).toEqual({ rows: [], next: null });
  });
});

describe('readRecentDeliveries()', () => {
  const read = async (journal: Journal) =>
    (await readRecentDeliveries(current(), journal.endpoint)).map(({ id }) => id);

  it('reads the newest 48 deliveries', async () => {
    const journal = new Journal(webhookId);
    await journal.insert({ count: 50, partitions: 1 });

    expect(await read(journal)).toEqual(journal.newestFirst().slice(0, 48));
  });

  it.each([5, 12, 32])('leaves no gap between the deliveries of %i partitions that it reads', async (wide) => {
    const journal = new Journal(webhookId);
    await journal.insert({ count: 200, partitions: wide });

    const ids = await read(journal);

    const isRead = (id: string) => deliveryPartition(id) < 12;
    expect(ids.length).toBeGreaterThan(10);
    expect(ids).toEqual(journal.newestFirst().filter(isRead).slice(0, ids.length));
  });
});
