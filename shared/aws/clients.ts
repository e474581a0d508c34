import { DynamoDBClient, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Report } from '#shared/operations/ports.ts';
import { clientSettings, type ServiceAddress } from './client-settings.ts';

/** The table and its client: the first parameter of every function in `table/`. */
export type Table = {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  /** Reports rows that were skipped because they cannot be read. */
  readonly report: Report;
};

/**
 * Connects to the table. Call once per process, at module scope of a handler, so that invocations share the
 * connections.
 *
 * @param address replaces the endpoint, region and credentials of the environment
 */
export function connectTable(name: string, report: Report, address: ServiceAddress = {}): Table {
  const bare = new DynamoDBClient({ ...clientSettings, ...address });
  repeatConflicts(bare);
  const client = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: true } });
  return { client, name, report };
}

/** Makes the client retry a write that conflicts with a transaction on the same item; the SDK does not. */
function repeatConflicts(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof TransactionConflictException) Object.assign(error, { $retryable: {} });
        throw error;
      }
    },
    { step: 'deserialize', priority: 'high', name: 'repeatConflicts' },
  );
}
