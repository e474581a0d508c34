import { DynamoDBClient, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Retention } from '#shared/domain/retention.ts';
import type { RunForms } from '#shared/domain/run-forms.ts';
import type { Clock, Report } from '#shared/operations/ports.ts';
import { clientSettings, type ServiceAddress } from './client-settings.ts';
import { KeptConnectionsHandler } from './kept-connections.ts';
import type { GroupedRead, GroupedWrite } from './table/grouped-requests.ts';
import type { Pause } from './table/pause.ts';
import { isConflict } from './table/transaction-errors.ts';
import { type TableClient, tableClient } from './table-client.ts';
import { servingUnexpired } from './unexpired-rows.ts';

/** The table and its client: the first parameter of every function in `table/`. */
export type Table = {
  readonly client: TableClient;
  readonly name: string;
  /** Reports rows that were skipped because they cannot be read. */
  readonly report: Report;
  /** The requests that go together with others of their kind. Those that are left out go alone. */
  readonly groups?: {
    readonly claims?: GroupedWrite;
    readonly records?: GroupedWrite;
    readonly deliveries?: GroupedWrite;
    readonly endpoints?: GroupedRead;
    /** `forms`: of the Runs that this process has settled. */
    readonly runs?: { readonly write: GroupedWrite; readonly forms: RunForms };
  };
  /** Before another try of a conflicting transaction or an incomplete batch. Default: `usualPause`. */
  readonly pause?: Pause;
  /** After which time rows that are written expire. Without it, they are kept. */
  readonly retention?: Retention;
};

/**
 * Connects to the table. Call each of these once per process, at module scope of a handler, so that invocations share
 * the connections.
 *
 * @param address replaces the endpoint, region and credentials of the environment
 */
export function connectTable(name: string, report: Report, address: ServiceAddress = {}): Table {
  return { client: tableClient(connectDynamodb(address)), name, report };
}

/** The same, without the rows that have expired and that DynamoDB has not removed. */
export function connectServedTable(name: string, report: Report, now: Clock): Table {
  const table = connectTable(name, report);
  return { ...table, client: servingUnexpired(table.client, now) };
}

export function connectDynamodb(address: ServiceAddress = {}): DynamoDBClient {
  const client = new DynamoDBClient(settingsOf(address));
  repeatConflicts(client);
  return client;
}

export const connectQueues = (address: ServiceAddress = {}): SQSClient =>
  new SQSClient({ ...settingsOf(address), useQueueUrlAsEndpoint: false });

export const connectKeys = (address: ServiceAddress = {}): KMSClient => new KMSClient(settingsOf(address));

export const connectSchedules = (address: ServiceAddress = {}): SchedulerClient =>
  new SchedulerClient(settingsOf(address));

/** Each client has connections of its own. */
function settingsOf(address: ServiceAddress) {
  const { requestHandler, ...settings } = clientSettings();
  return {
    ...settings,
    requestHandler: new KeptConnectionsHandler(requestHandler),
    ...address,
    // The environment may ask for other addresses of AWS, and a client that is given its own refuses that.
    ...(address.endpoint !== undefined && { useFipsEndpoint: false, useDualstackEndpoint: false }),
  };
}

/**
 * Makes the client retry a write or a transaction that conflicts with one on the same item, and a transaction that is
 * throttled; the SDK does not.
 */
function repeatConflicts(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isPassing(error) ? Object.assign(error, { $retryable: {} }) : error;
      }
    },
    { step: 'deserialize', priority: 'high', name: 'repeatConflicts' },
  );
}

function isPassing(error: unknown): error is Error {
  return error instanceof TransactionConflictException || isConflict(error);
}
