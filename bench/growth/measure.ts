import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamodb } from '../../local/aws/dynamodb/start-dynamodb.ts';
import type { BenchContext } from '../bench.ts';
import { buildBundles } from '../build-bundles.ts';
import { AwsMeter } from '../units/meter.ts';
import { type Capacity, capacityOf } from './capacity.ts';
import { deliverEvents } from './delivery-line.ts';
import { createTable, openTable } from './emulator-table.ts';
import { handlerRequests } from './handler-lines.ts';
import { countItems, itemsOf } from './items.ts';
import { listPages } from './list-lines.ts';
import { load } from './load.ts';
import { type Request, singleReads } from './read-lines.ts';
import { sample, type Timed } from './sample.ts';
import { type TableSize, tableSizes } from './sizes.ts';

/** One request, measured on tables of each size. */
export type Line = {
  readonly name: string;
  /** Capacity on each table, in the order of the sizes. */
  readonly units: readonly Capacity[];
  readonly timed: Timed;
};

export type Measured = { readonly sizes: readonly TableSize[]; readonly lines: readonly Line[] };

/** Samples of each request on each table: the median of as many ratios settles within a few percent. */
export const rounds = 200;

/** Requests before the one whose units count. */
const warmUps = 3;

const nameOf = ({ name }: TableSize): string => `growth-${name}`;

export async function measureGrowth({ say, signal, options }: BenchContext): Promise<Measured> {
  const sizes = tableSizes(options.large);
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { url } = parts.use(await startDynamodb({ dataDir }));
  for (const size of sizes) {
    await createTable(url, nameOf(size));
    await fill(url, size, signal, say);
  }
  const units = await countUnits(url, sizes);
  const requests = await Promise.all(sizes.map((size) => requestsOn(url, size, parts)));
  const lines: Line[] = [];
  for (const name of Object.keys(requests[0] ?? {})) {
    signal.throwIfAborted();
    say(name);
    const same = requests.flatMap((own) => own[name] ?? []);
    lines.push({
      name,
      units: units.flatMap((own) => own.get(name) ?? []),
      timed: await sample(same, rounds),
    });
  }
  return { sizes, lines };
}

async function fill(
  url: string,
  size: TableSize,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const total = countItems(size);
  const step = Math.max(50_000, Math.ceil(total / 10));
  let next = step;
  say(`Loading ${total} items: ${size.title}`);
  await load(openTable(url, nameOf(size)), itemsOf(size), signal, (count) => {
    if (count < next) return;
    next += step;
    say(`${Math.round((100 * count) / total)} %`);
  });
}

/** Every measured request on one table. `parts` ends the functions that it starts. */
async function requestsOn(
  url: string,
  size: TableSize,
  parts: AsyncDisposableStack,
): Promise<Readonly<Record<string, Request>>> {
  const table = openTable(url, nameOf(size));
  return {
    'Deliver an event': deliverEvents(table),
    ...singleReads(table, size),
    ...listPages(table, size),
    ...(await handlerRequests(table, url, size, parts)),
  };
}

/** The units of each request, on one table after the other. */
async function countUnits(
  url: string,
  sizes: readonly TableSize[],
): Promise<readonly ReadonlyMap<string, Capacity>[]> {
  await using meter = new AwsMeter();
  const meteredUrl = await meter.inFrontOf('dynamodb', url);
  await using parts = new AsyncDisposableStack();
  const counted: ReadonlyMap<string, Capacity>[] = [];
  for (const size of sizes) counted.push(await unitsOn(meter, await requestsOn(meteredUrl, size, parts)));
  return counted;
}

async function unitsOn(
  meter: AwsMeter,
  requests: Readonly<Record<string, Request>>,
): Promise<ReadonlyMap<string, Capacity>> {
  const units = new Map<string, Capacity>();
  for (const [name, request] of Object.entries(requests)) {
    // The first requests store or cache what later ones find.
    for (let count = 0; count < warmUps; count += 1) await request();
    meter.take();
    await request();
    units.set(name, capacityOf(meter.take()));
  }
  return units;
}
