import { DynamoDBClient, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Retention } from '#shared/domain/retention.ts';
import type { Report } from '#shared/operations/ports.ts';
import { clientSettings, type ServiceAddress } from './client-settings.ts';
import { sdkTableClient } from './sdk-table-client.ts';
import type { TableClient } from './table-client.ts';

/** The table and its client: the first parameter of every function in `table/`. */
export type Table = {
  readonly client: TableClient;
  readonly name: string;
  /** Reports rows that were skipped because they cannot be read. */
  readonly report: Report;
  /** When rows expire that are written; without it, they are kept. */
  readonly retention?: Retention;
};

/**
 * Connects to the table. Call once per process, at module scope of a handler, so that invocations share the
 * connections.
 *
 * @param address replaces the endpoint, region and credentials of the environment
 */
export function connectTable(name: string, report: Report, address: ServiceAddress = {}): Table {
  return { client: sdkTableClient(connectDynamodb(address)), name, report };
}

export function connectDynamodb(address: ServiceAddress = {}): DynamoDBClient {
  const client = new DynamoDBClient({ ...clientSettings, ...address });
  repeatConflicts(client);
  return client;
}

/** Call once per process. */
export const connectQueues = (address: ServiceAddress = {}): SQSClient =>
  new SQSClient({ ...clientSettings, ...address, useQueueUrlAsEndpoint: false });

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
