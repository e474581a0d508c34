import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { connectDynamodb, type Table } from '#shared/aws/clients.ts';
import { writeBatchSize } from '#shared/aws/table/batches.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { type Emulator, startDynamodbEmulator } from './emulators.ts';

type KeyNames = { readonly partitionKey: string; readonly sortKey: string };

const keySchema = ({ partitionKey, sortKey }: KeyNames) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: sortKey, KeyType: 'RANGE' as const },
];

/** The table as a deployment makes it. */
export function createTableInput(name: string): CreateTableCommandInput {
  const indexes = Object.values(tableSchema.indexes);
  const keyNames = [tableSchema, ...indexes].flatMap((keys) => [keys.partitionKey, keys.sortKey]);
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keyNames.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(tableSchema),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
  };
}

export type TestTable = Table & {
  /** Origin of the emulator. */
  readonly endpoint: string;
  /** Takes the write units that were consumed since the last call. */
  takeWriteUnits(): number;
  /** Takes the read units that were consumed since the last call. */
  takeReadUnits(): number;
  /** Takes the number of rows that reads looked at since the last call; unlike units, the same on every emulator. */
  takeReadRows(): number;
  /** Stores items of any kind. */
  putItems(items: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** Reports of rows that could not be read. */
  readonly reports: readonly TelemetryEvent[];
};

/** One emulator for the tests of a file, and a separate table for each test. */
export function useTable(): { readonly current: () => TestTable } {
  let emulator: Emulator;
  let client: DynamoDBClient;
  let meters: ReturnType<typeof metered>;
  let table: TestTable;
  beforeAll(async () => {
    emulator = await startDynamodbEmulator();
    client = connectDynamodb(emulator.config);
    meters = metered(client);
  });
  beforeEach(async () => {
    const name = `test-${randomUUID()}`;
    await client.send(new CreateTableCommand(createTableInput(name)));
    const reports: TelemetryEvent[] = [];
    const documents = tableClient(client);
    table = {
      client: documents,
      endpoint: emulator.config.endpoint,
      name,
      report: (event) => void reports.push(event),
      reports,
      putItems: async (items) => {
        for (const batch of chunks(items, writeBatchSize)) {
          const puts = batch.map((Item) => ({ PutRequest: { Item } }));
          await documents.batchWrite({ RequestItems: { [name]: puts } });
        }
      },
      takeWriteUnits: meters.writes.take,
      takeReadUnits: meters.reads.take,
      takeReadRows: meters.rows.take,
    };
    for (const meter of Object.values(meters)) meter.take();
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

const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];
const reads = ['GetItem', 'BatchGetItem', 'Query'];

/** Adds up capacity units or rows. */
class Meter {
  #sum = 0;

  readonly add = (number: number): void => {
    this.#sum += number;
  };

  /** Takes what was added since the last call. */
  readonly take = (): number => {
    const taken = this.#sum;
    this.#sum = 0;
    return taken;
  };
}

const measured = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** Lets the answers tell what they consumed. */
function metered(client: DynamoDBClient) {
  const meters = { writes: new Meter(), reads: new Meter(), rows: new Meter() };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String(context.commandName).replace(/Command$/, '');
      const isRead = reads.includes(operation);
      if (!isRead && !writes.includes(operation)) return next(args);
      const result = await next({ ...args, input: { ...args.input, ...measured } });
      meters[isRead ? 'reads' : 'writes'].add(consumedUnits(result.output));
      if (isRead) meters.rows.add(rowsIn(result.output));
      return result;
    },
    { step: 'initialize', name: 'meter' },
  );
  return meters;
}

/** Of a query, also the rows that its filter left out. */
function rowsIn(output: object): number {
  if ('ScannedCount' in output) return Number(output.ScannedCount);
  if ('Responses' in output) return Object.values(Object(output.Responses)).flat().length;
  return 'Item' in output && output.Item !== undefined ? 1 : 0;
}

function consumedUnits(output: object): number {
  if (!('ConsumedCapacity' in output)) return 0;
  const parts = [output.ConsumedCapacity].flat();
  return parts.reduce((sum: number, part) => sum + capacityUnits(part), 0);
}

function capacityUnits(part: unknown): number {
  if (typeof part !== 'object' || part === null || !('CapacityUnits' in part)) return 0;
  return typeof part.CapacityUnits === 'number' ? part.CapacityUnits : 0;
}
