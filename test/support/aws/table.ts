import { createHash, randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import * as z from 'zod';
import { connectDynamodb, type Table } from '#shared/aws/clients.ts';
import { writeBatchSize } from '#shared/aws/table/batches.ts';
import { toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { type ItemKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import type { RunningService } from '../../../tools/local/aws/aws-api.ts';
import { createTableInput } from './create-table-input.ts';
import { type Emulator, startDynamodbEmulator } from './emulators.ts';

export type TestTable = Table & {
  /** Origin of the emulator. */
  readonly endpoint: string;
  /** Takes the write units that were consumed since the last call. */
  takeWriteUnits(): number;
  /** Takes the number of rows that reads looked at since the last call; unlike units, the same on every emulator. */
  takeReadRows(): number;
  /** Stores items of any kind. */
  putItems(items: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Stores live endpoints, without slots and handshakes. */
  putEndpoints(...endpoints: readonly Endpoint[]): Promise<void>;
  /** @returns the item as it is stored, empty if there is none */
  readItem(key: ItemKey): Promise<Readonly<Record<string, unknown>>>;
  /** Reports of rows that could not be read. */
  readonly reports: readonly TelemetryEvent[];
};

/**
 * One emulator for the tests of a file, and a separate table for each test.
 *
 * @param start starts the emulator; default: the one that the environment chooses
 */
export function useTable(start?: () => Promise<RunningService>): { readonly current: () => TestTable } {
  let emulator: Emulator;
  let client: DynamoDBClient;
  let meter: ReturnType<typeof metered>;
  let table: TestTable;
  beforeAll(async () => {
    emulator = await startDynamodbEmulator(start);
    client = connectDynamodb(emulator.config);
    separateTokens(client);
    meter = metered(client);
  });
  beforeEach(async () => {
    const name = `test-${randomUUID()}`;
    await client.send(new CreateTableCommand(createTableInput(name)));
    const reports: TelemetryEvent[] = [];
    const documents = tableClient(client);
    const putItems: TestTable['putItems'] = async (items) => {
      for (const batch of chunks(items, writeBatchSize)) {
        const puts = batch.map((Item) => ({ PutRequest: { Item } }));
        await documents.batchWrite({ RequestItems: { [name]: puts } });
      }
    };
    table = {
      client: documents,
      endpoint: emulator.config.endpoint,
      name,
      report: (event) => void reports.push(event),
      pause: async () => {},
      reports,
      putItems,
      putEndpoints: (...endpoints) =>
        putItems(
          endpoints.map((endpoint) => ({
            ...liveEndpointKey(endpoint.customerId, endpoint.id),
            ...toEndpointItem(endpoint),
          })),
        ),
      readItem: async (Key) => (await documents.get({ TableName: name, Key, ConsistentRead: true })).Item ?? {},
      ...meter,
    };
    for (const take of Object.values(meter)) take();
  });
  afterEach(async () => {
    await client.send(new DeleteTableCommand({ TableName: table.name }));
  });
  afterAll(async () => {
    client.destroy();
    await emulator.close();
  });
  return { current: () => table };
}

/** DynamoDB knows the tokens of transactions per account; tests use the same ids in several tables. */
function separateTokens(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const given = transaction.safeParse(args.input).data;
      if (given === undefined) return next(args);
      const { TransactItems, ClientRequestToken } = given;
      const [table] = TransactItems.flatMap((item) => Object.values(item)).map(({ TableName }) => TableName);
      const separate = createHash('sha256').update(`${table} ${ClientRequestToken}`).digest('hex').slice(0, 36);
      return next({ ...args, input: { ...args.input, ClientRequestToken: separate } });
    },
    { step: 'initialize', priority: 'low', name: 'separateTokens' },
  );
}

const transaction = z.looseObject({
  ClientRequestToken: z.string(),
  TransactItems: z.array(z.record(z.string(), z.looseObject({ TableName: z.string() }))),
});

const measuredWrites = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchExecuteStatement', 'TransactWriteItems'];
const measuredReads = ['GetItem', 'BatchGetItem', 'Query'];
/** Absent when a batch wrote nothing. */
const consumed = z.object({
  ConsumedCapacity: z
    .unknown()
    .optional()
    .transform((parts) => [parts ?? []].flat()),
});
const capacity = z.object({ CapacityUnits: z.number() });

/** Lets the answers tell what they consumed. */
function metered(client: DynamoDBClient) {
  const counted = { units: 0, rows: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String(context.commandName).replace(/Command$/, '');
      if (!measuredWrites.includes(operation)) {
        const read = await next(args);
        if (measuredReads.includes(operation)) counted.rows += rowsIn(read.output);
        return read;
      }
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      for (const part of consumed.parse(result.output).ConsumedCapacity)
        counted.units += capacity.safeParse(part).data?.CapacityUnits ?? 0;
      return result;
    },
    { step: 'initialize', name: 'meter' },
  );
  const take = (kind: keyof typeof counted) => () => {
    const taken = counted[kind];
    counted[kind] = 0;
    return taken;
  };
  return { takeWriteUnits: take('units'), takeReadRows: take('rows') };
}

/** Of a query, also the rows that its filter left out. */
function rowsIn(output: object): number {
  if ('ScannedCount' in output) return Number(output.ScannedCount);
  if ('Responses' in output) return Object.values(Object(output.Responses)).flat().length;
  return 'Item' in output && output.Item !== undefined ? 1 : 0;
}
