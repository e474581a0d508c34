import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { starting } from '../../stack/lifecycle.ts';
import { type CallService, createServiceClient } from '../../stack/service-client.ts';
import { AwsError, type RunningService, serveAwsCalls } from '../aws-api.ts';
import { DynamoDb } from './dynamodb.ts';
import { TableDatabase } from './table-database.ts';

export type DynamodbOptions = {
  /** Folder that keeps the tables after the process ends. Default: in memory. */
  readonly dataDir?: string | undefined;
  /** Address of a running DynamoDB to use in place of this one. Default: `DYNAMODB_ENDPOINT` of the environment. */
  readonly endpoint?: string | undefined;
};

export type RunningDynamodb = RunningService & {
  /** Makes a call, within this process if the tables are here. */
  readonly call: CallService;
};

/**
 * Starts a DynamoDB on loopback, in this process, or uses the one at `endpoint`. With a data folder, every write that
 * was answered outlives the process.
 *
 * @throws Error when nothing answers at the endpoint, or another process uses the data folder
 */
export async function startDynamodb({
  dataDir,
  endpoint = process.env.DYNAMODB_ENDPOINT,
}: DynamodbOptions = {}): Promise<RunningDynamodb> {
  if (endpoint !== undefined && endpoint !== '') return await connect(endpoint.replace(/\/+$/, ''));
  return await starting(async (parts) => {
    const database = dataDir === undefined ? undefined : openDatabase(dataDir);
    parts.defer(() => database?.close());
    const dynamodb = new DynamoDb({ now: Date.now, database });
    const { url } = parts.use(await serveAwsCalls(0, ({ action, body }) => dynamodb.call(action, body)));
    return { url, call: async (action: string, input: object) => dynamodb.call(action, input) };
  });
}

/** What earlier releases, and versions between them, wrote. */
const formerFiles = ['dynamodb.sqlite', 'table.sqlite'];

function openDatabase(dataDir: string): TableDatabase {
  if (formerFiles.some((name) => existsSync(join(dataDir, name))))
    throw new Error(
      `An earlier version wrote the tables in ${dataDir}, in a format that this one does not read: delete the data ` +
        'folder, or name another with --data',
    );
  return new TableDatabase(join(dataDir, 'rows.sqlite'));
}

async function connect(url: string): Promise<RunningDynamodb> {
  const { call, close } = createServiceClient('dynamodb', url);
  await call('ListTables', {}).catch((error: unknown) => {
    // A service that refuses a call is there.
    if (error instanceof AwsError) return;
    close();
    throw new Error(`No DynamoDB answers at ${url}, which DYNAMODB_ENDPOINT names: start it, or unset the variable`, {
      cause: error,
    });
  });
  return { url, call, [Symbol.asyncDispose]: async () => close() };
}
