import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { sdkTableClient } from '#shared/aws/sdk-table-client.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { TelemetryEvent } from '#shared/operations/ports.ts';
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
  /** Reports of rows that could not be read. */
  readonly reports: readonly TelemetryEvent[];
};

/** One emulator for the tests of a file, and a separate table for each test. */
export function useTable(): { readonly current: () => TestTable } {
  let emulator: Emulator;
  let client: DynamoDBClient;
  let takeWriteUnits: () => number;
  let takeReadUnits: () => number;
  let table: TestTable;
  beforeAll(async () => {
    emulator = await startDynamodbEmulator();
    client = new DynamoDBClient({ ...emulator.config, maxAttempts: 1 });
    takeWriteUnits = meter(client, writes);
    takeReadUnits = meter(client, reads);
  });
  beforeEach(async () => {
    const name = `test-${randomUUID()}`;
    await client.send(new CreateTableCommand(createTableInput(name)));
    const reports: TelemetryEvent[] = [];
    table = {
      client: sdkTableClient(client),
      endpoint: emulator.config.endpoint,
      name,
      report: (event) => void reports.push(event),
      reports,
      takeWriteUnits,
      takeReadUnits,
    };
    takeWriteUnits();
    takeReadUnits();
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

const writes = ['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand', 'TransactWriteItemsCommand'];
const reads = ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'];

/** Adds up the capacity that each of these commands consumed. */
function meter(client: DynamoDBClient, commands: readonly string[]): () => number {
  let units = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!commands.includes(String(context.commandName))) return next(args);
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' as const };
      const result = await next({ ...args, input });
      units += consumedUnits(result.output);
      return result;
    },
    { step: 'initialize', name: `meter ${commands.join()}` },
  );
  return () => {
    const taken = units;
    units = 0;
    return taken;
  };
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
