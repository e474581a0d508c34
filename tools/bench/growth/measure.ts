import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import { putAll } from '#shared/aws/table/batches.ts';
import type { BundledFolder } from '#shared/contract/functions.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { backoff } from '#shared/runtime/system.ts';
import { LambdaFunction } from '../../local/aws/lambda/lambda-function.ts';
import type { BenchContext } from '../bench.ts';
import { apiEvent } from '../events.ts';
import { totalUnits } from '../meter/aws-call.ts';
import { AwsMeter } from '../meter/meter.ts';
import { openScene, type StackScene } from '../stack-scene.ts';
import { itemsOf, largestSize, type StoredItem, type TableSize, tableSizes } from './records.ts';
import { type Place, type Request, requests } from './requests.ts';

/**
 * One request on one table, with a value for each round: its time, and the capacity units that it consumed on the table
 * and its indexes, refused writes included.
 */
export type Sampled = { readonly times: number[]; readonly read: number[]; readonly write: number[] };

/** One request, with its samples in the order of the sizes. */
export type Line = { readonly name: string; readonly sampled: readonly Sampled[] };

export type Measured = Awaited<ReturnType<typeof measureGrowth>>;

/** The median of as many ratios settles within a few percent. */
const defaultRounds = 200;

/** Requests before those that count: the first ones store or cache what later ones find. */
const warmUps = 5;

/** None of them reaches its request limit. */
const keyCount = 100;

/** Functions on the emulators of a stack, but on tables and with a queue of this benchmark. */
type Functions = Awaited<ReturnType<typeof prepareFunctions>>;

export async function measureGrowth({ say, signal, options }: BenchContext) {
  await using parts = new AsyncDisposableStack();
  say('Starting the local stack');
  const scene = await openScene(parts, { keepsOnDisk: true });
  const functions = await prepareFunctions(scene, parts.use(new AwsMeter()));
  const sizes = options.large ? [...tableSizes, largestSize] : tableSizes;
  const places: Place[] = [];
  for (const size of sizes) {
    say(`Storing ${size.title}`);
    places.push(await fill(scene, functions, size, signal));
  }
  const lines: Line[] = [];
  for (const request of requests) {
    say(request.name);
    signal.throwIfAborted();
    lines.push(await sample(functions, request, places, options.rounds ?? defaultRounds));
  }
  return { sizes, lines };
}

async function prepareFunctions(scene: StackScene, meter: AwsMeter) {
  const { info } = scene.stack;
  const certificate = await readFile(info.receiver.ca_file, 'utf8');
  // The stack would look for these deliveries in its own table.
  const made = await scene.callSqs('CreateQueue', { QueueName: 'growth' });
  const { QueueUrl } = z.object({ QueueUrl: z.string() }).parse(made);
  const replaced = {
    AWS_ENDPOINT_URL_DYNAMODB: await meter.inFrontOf('dynamodb', info.endpoints.dynamodb),
    DELIVERY_QUEUE_URL: QueueUrl,
  };
  return {
    meter,
    start: (folder: BundledFolder, tableName: string) =>
      new LambdaFunction({
        model: scene.modelOf(folder),
        environment: { ...scene.environmentOf(folder), ...replaced, TABLE_NAME: tableName },
        extraCertificates: [certificate],
        onLogLine: () => {},
      }),
  };
}

const registered = z.object({ webhook: z.object({ id: z.string() }) });
const created = z.object({ payload: z.object({ statusCode: z.literal(201), body: z.string() }) });

/** Creates a table with a customer and an endpoint, and stores the records of both. */
async function fill(
  scene: StackScene,
  functions: Functions,
  size: TableSize,
  signal: AbortSignal,
): Promise<Place> {
  const tableName = `growth-${size.stored}`;
  const table = await scene.createTable(tableName);
  const { client, apiKey } = await scene.newCustomer(tableName);
  const register = functions.start('api/register-webhook', tableName);
  const answer = await register.invoke(
    apiEvent({ apiKey, method: 'POST', body: { url: `${client.stack.receiver.origin}/growth` } }),
  );
  await register.close();
  const { webhook } = registered.parse(JSON.parse(created.parse(answer).payload.body));
  const owner = { customerId: client.id, webhookId: webhook.id };
  await store(table, itemsOf(size, owner), signal);

  const keys: string[] = [];
  while (keys.length < keyCount) keys.push(await scene.newKey(table, client.id));
  let asked = 0;
  const nextKey = () => {
    asked += 1;
    return keys[asked % keyCount] ?? '';
  };
  return { ...owner, size, table, nextKey };
}

/** Writes the items in large chunks, a few at once: the emulator has no work for more. */
async function store(table: Table, items: Iterable<StoredItem>, signal: AbortSignal): Promise<void> {
  const [chunkSize, lanes] = [400, 4];
  let chunk: StoredItem[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < chunkSize) continue;
    signal.throwIfAborted();
    await Promise.all(chunks(chunk, chunkSize / lanes).map((part) => putAll(table, part, backoff)));
    chunk = [];
  }
  await putAll(table, chunk, backoff);
}

/**
 * Asks the tables in turn, so that noise of the machine meets all of them. Each round starts with another table.
 *
 * @throws Error when a request fails
 */
async function sample(
  { start, meter }: Functions,
  { name, folder, event }: Request,
  places: readonly Place[],
  rounds: number,
): Promise<Line> {
  const targets = places.map((place) => {
    const sampled: Sampled = { times: [], read: [], write: [] };
    return { place, function: start(folder, place.table.name), sampled };
  });
  try {
    for (let round = -warmUps; round < rounds; round += 1) {
      const first = (round + warmUps) % targets.length;
      for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
        const given = await event(target.place);
        meter.take();
        const startedAt = performance.now();
        const answer = await target.function.invoke(given, 1);
        const time = performance.now() - startedAt;
        if (!succeeded.safeParse(answer).success)
          throw new Error(`Cannot measure "${name}": ${JSON.stringify(answer)}`);
        if (round < 0) continue;
        target.sampled.times.push(time);
        const calls = meter.take();
        target.sampled.read.push(sumOf(calls.map(({ readUnits }) => totalUnits(readUnits))));
        target.sampled.write.push(sumOf(calls.map(({ writeUnits }) => totalUnits(writeUnits))));
      }
    }
  } finally {
    await Promise.all(targets.map((target) => target.function.close()));
  }
  return { name, sampled: targets.map(({ sampled }) => sampled) };
}

const succeeded = z.object({
  ok: z.literal(true),
  payload: z.union([
    z.object({ statusCode: z.literal(200) }),
    z.object({ batchItemFailures: z.array(z.unknown()).length(0) }),
  ]),
});

const sumOf = (units: readonly number[]): number => units.reduce((total, count) => total + count, 0);
