import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deliveryKey } from '#shared/aws/table/keys.ts';
import { deliveryStats, type ObservedDelivery } from '#shared/domain/delivery-stats.ts';
import { firstIdAt, idAlphabet, idTime } from '#shared/domain/ids.ts';
import { statsWindow } from '#shared/domain/stats-window.ts';
import { sampleDeliveries } from '#shared/operations/customer/sample-deliveries.ts';
import { DynamoDb } from '../../../../tools/local/aws/dynamodb/dynamodb.ts';
import { inProcessTable, toItem } from '../../../support/aws/in-process-table.ts';
import { buildDelivery, buildEndpoint, customerId, hour, minute, webhookId } from '../../../support/values/builders.ts';

const second = 1_000;
const now = Date.UTC(2026, 10, 20, 12, 34, 56);
const window = statsWindow('24h', now);
const day = now - window.from;
/** What a row has beside its body. */
const keyBytes = 190;

/** Numbers from 0 to 1, the same ones in each run. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type TimeOf = (chance: () => number, number: number) => number;

const atRandom: TimeOf = (chance) => window.from + chance() * day;
const inOneHour: TimeOf = (chance) => now - 6 * hour - chance() * hour;

/** Times of deliveries in bursts that begin at whole multiples of a period. */
const bursts =
  (period: number, length: number): TimeOf =>
  (chance) => {
    const burst = Math.floor((chance() * day) / period);
    return Math.ceil(window.from / period) * period + burst * period + chance() * length;
  };

const shapes: Readonly<Record<string, TimeOf>> = {
  'at random times of the day': atRandom,
  'in half a second of each minute': bursts(minute, second / 2),
  'in ten seconds of each ten minutes': bursts(10 * minute, 10 * second),
  'in a minute of each hour': bursts(hour, minute),
  'in one hour': inOneHour,
  'in half a minute': (chance) => now - 6 * hour - chance() * 30 * second,
  'in the eight hours of a working day': (chance) => now - 9.3 * hour - chance() * 8 * hour,
};

/** Deliveries of which every tenth failed, in the order of their ids. */
function deliveriesAt(timeOf: TimeOf, count: number, partitions = 1) {
  const chance = chances(count + partitions);
  return Array.from({ length: count }, (_, number): ObservedDelivery => {
    const time = firstIdAt('delivery', Math.floor(timeOf(chance, number)));
    const partition = idAlphabet.charAt(Math.floor(chance() * partitions));
    const id = `${time}${partition}${String(number).padStart(15, '0')}`;
    return { id, status: number % 10 === 0 ? 'failed' : 'delivered', replayOf: null, log: [] };
  }).toSorted(byId);
}

const byId = (one: ObservedDelivery, other: ObservedDelivery) => (one.id < other.id ? -1 : 1);

/** A table with sorted deliveries, each of about `bytes`, and what is taken of it. */
function tableOf(deliveries: readonly ObservedDelivery[], bytes = 780) {
  const dynamodb = new DynamoDb({ now: () => now });
  const { client, ...table } = inProcessTable(dynamodb);
  const item = toItem({ ...toDeliveryItem(buildDelivery()), body: 'x'.repeat(bytes - keyBytes) });
  for (const { id, status } of deliveries) {
    const { pk } = deliveryKey({ customerId, webhookId, id });
    const Item = { ...item, pk: { S: pk }, sk: { S: id }, status: { S: status } };
    dynamodb.actions.PutItem({ TableName: table.name, Item });
  }
  const taken = { units: 0, queries: 0, requests: 1 };
  const query: typeof client.query = async (input) => {
    const answer = await client.query(input);
    taken.units += answer.ConsumedCapacity?.CapacityUnits ?? Number.NaN;
    taken.queries += 1;
    return answer;
  };
  return { table: { ...table, client: { ...client, query } }, taken };
}

async function sampled(deliveries: readonly ObservedDelivery[], partitions = 1, bytes?: number) {
  const { table, taken } = tableOf(deliveries, bytes);
  const endpoint = buildEndpoint({ deliveryPartitions: partitions });
  const payRequest = async () => {
    taken.requests += 1;
  };
  const sample = await sampleDeliveries({ table, endpoint, window, payRequest });
  const { counts, deliveredShare } = deliveryStats(sample.deliveries, window);
  return { ...sample, ...taken, counts, deliveredShare, total: counts.delivered + counts.failed };
}

describe('sampleDeliveries()', () => {
  it.each(Object.entries(shapes))('reads 1,300 deliveries %s one by one', async (_, timeOf) => {
    const deliveries = deliveriesAt(timeOf, 1_300);

    const sample = await sampled(deliveries);

    expect(sample.counts).toEqual({ pending: 0, delivered: 1_170, failed: 130 });
    expect(sample.sampled).toBe(false);
    expect(sample.deliveries.map(({ delivery }) => delivery).toSorted(byId)).toEqual(deliveries);
  });

  it.each(
    [1, 8].flatMap((partitions) =>
      Object.entries(shapes).map(([shape, timeOf]) => [partitions, shape, timeOf] as const),
    ),
  )('counts 10,000 deliveries over %i partitions %s within 240 read units', async (partitions, _, timeOf) => {
    const sample = await sampled(deliveriesAt(timeOf, 10_000, partitions), partitions);

    expect(sample.units).toBeLessThanOrEqual(240);
    expect(sample.requests).toBeLessThanOrEqual(4);
    expect(sample.queries).toBeLessThanOrEqual(270);
    expect(sample.sampled).toBe(true);
    expect(sample.total).toBeGreaterThan(6_667);
    expect(sample.total).toBeLessThan(13_333);
    expect(sample.deliveredShare).toBeCloseTo(0.9, 1);
  });

  it.each([1, 8].flatMap((partitions) => [200, 1_000, 1_600, 2_400].map((bytes) => [partitions, bytes] as const)))(
    'keeps to its units over %i partitions for deliveries of %i bytes',
    async (partitions, bytes) => {
      const sample = await sampled(deliveriesAt(atRandom, 10_000, partitions), partitions, bytes);

      expect(sample.units).toBeLessThanOrEqual(240);
      expect(sample.sampled).toBe(true);
      expect(sample.total).toBeGreaterThan(6_667);
      expect(sample.total).toBeLessThan(13_333);
    },
  );

  it('costs one request and two queries for a quiet endpoint, whatever it has stored before', async () => {
    const old = deliveriesAt((_, number) => window.from - 1 - number, 5_000);
    const recent = deliveriesAt((_, number) => now - number * minute, 40);

    const sample = await sampled([...old, ...recent]);

    expect(sample).toMatchObject({ total: 40, olderLeftOut: true, sampled: false, requests: 1, queries: 2 });
    expect(sample.units).toBeLessThanOrEqual(5);
  });

  it('counts what was created before an endpoint was spread as it is', async () => {
    const before = deliveriesAt((_, number) => now - 20 * hour + number * second, 3_000);
    const since = deliveriesAt((_, number) => now - 10 * hour + number * second, 3_000, 16);

    const { total } = await sampled([...before, ...since].toSorted(byId), 16);

    expect(total).toBeGreaterThan(4_800);
    expect(total).toBeLessThan(7_200);
  });

  it('counts all partitions that an endpoint had before it was spread once more', async () => {
    const before = deliveriesAt((_, number) => now - 30 * hour + 4 * number * second, 12_000, 4);
    const since = deliveriesAt((_, number) => now - 10 * hour + number * second, 3_000, 16);

    const { total } = await sampled([...before, ...since].toSorted(byId), 16);

    const real = before.filter(({ id }) => idTime(id) >= window.from).length + 3_000;
    expect(total).toBeGreaterThan(0.8 * real);
    expect(total).toBeLessThan(1.2 * real);
  });

  it.each([2, 8, 32])('reads 300 deliveries over %i partitions one by one', async (partitions) => {
    const deliveries = deliveriesAt(atRandom, 300, partitions);

    const sample = await sampled(deliveries, partitions);

    expect(sample.counts).toEqual({ pending: 0, delivered: 270, failed: 30 });
    expect(sample.deliveries.every(({ weight }) => weight === 1)).toBe(true);
  });

  it('reads the deliveries of an endpoint that was just spread one by one', async () => {
    const before = deliveriesAt((_, number) => now - 2 * hour + number * minute, 40);
    const since = deliveriesAt((_, number) => now - hour + number * minute, 40, 32);

    const sample = await sampled([...before, ...since].toSorted(byId), 32);

    expect(sample).toMatchObject({ total: 80, sampled: false });
  });

  it('has about as many deliveries in each bucket as were created in its time', async () => {
    const deliveries = deliveriesAt(atRandom, 20_000);
    const { deliveries: sample, total, queries } = await sampled(deliveries);

    expect(total).toBeGreaterThan(0.95 * 20_000);
    expect(total).toBeLessThan(1.05 * 20_000);
    expect(queries).toBeLessThanOrEqual(130);
    for (const { from, counts } of deliveryStats(sample, window).buckets.slice(0, 23)) {
      const real = deliveries.filter(({ id }) => idTime(id) >= from && idTime(id) < from + hour).length;
      expect(counts.delivered + counts.failed).toBeGreaterThan(real / 2);
      expect(counts.delivered + counts.failed).toBeLessThan(real * 2);
    }
  });

  it('reads no more than it can pay for', async () => {
    const { table, taken } = tableOf(deliveriesAt(inOneHour, 5_000));
    const refused = new Error('refused');
    const payRequest = () => Promise.reject(refused);

    const sampling = { table, endpoint: buildEndpoint(), window, payRequest };

    await expect(sampleDeliveries(sampling)).rejects.toBe(refused);
    expect(taken.units).toBeLessThanOrEqual(60);
  });
});
