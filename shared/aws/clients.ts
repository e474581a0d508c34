import { DynamoDBClient, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Report } from '#shared/operations/ports.ts';
import { clientSettings, type ServiceAddress } from './client-settings.ts';

/** A table and the client that reaches it; what every function in `table/` works on. */
export type Table = {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  /** Reports rows that cannot be read and were left out. */
  readonly report: Report;
};

/**
 * Made once per process, at module scope of a handler, so that its connections are kept over invocations.
 *
 * @param name the table's name
 * @param address default: what the environment says
 */
export function connectTable(name: string, report: Report, address: ServiceAddress = {}): Table {
  const bare = new DynamoDBClient({ ...clientSettings, ...address });
  repeatConflicts(bare);
  const client = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: true } });
  return { client, name, report };
}

/** A write that meets a transaction on its item is refused for a moment only. The SDK would not retry it. */
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
