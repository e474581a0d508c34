import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import { unexpected as unexpectedCall } from '../operations/deps.ts';

/** The answer of a mocked client to a command that the test did not expect. */
export const unexpected = new Error('The test expects no such command');

export const tableName = 'webhooks-test';

/** Mocks a client, or a class of them, in the tests of one file. It refuses every command that a test did not stub. */
export const useMock: typeof mockClient = (client) => {
  const mock = mockClient(client);
  beforeEach(() => void mock.reset().rejects(unexpected));
  // The next file of the process has the same class.
  afterAll(() => mock.restore());
  return mock;
};

/** A table whose client is mocked in the tests of one file. */
export function useMockTable() {
  const mock = useMock(DynamoDBDocumentClient);
  const client = tableClient(new DynamoDBClient({ region: 'us-east-1' }));
  const table: Table = {
    client,
    name: tableName,
    report: unexpectedCall('report'),
    pause: unexpectedCall('pause'),
  };
  return { table, mock };
}

const metadata = { $metadata: {}, message: 'refused' };

/** The refusal of a conditional write, with the stored item. */
export function conditionFailed(item?: Record<string, unknown>): ConditionalCheckFailedException {
  const found = item === undefined ? {} : { Item: marshall(item, { removeUndefinedValues: true }) };
  return new ConditionalCheckFailedException({ ...metadata, ...found });
}

/** The end of a transaction, with the reason for each of its writes. */
export function transactionCanceled(...codes: string[]): TransactionCanceledException {
  return new TransactionCanceledException({
    ...metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

type Calls = { calls(): readonly { readonly args: readonly [{ readonly input: object }, ...unknown[]] }[] };

/** Every command that a mocked client got, in order: its name with its whole input. */
export function commandsOf(mock: Calls): readonly Readonly<Record<string, object>>[] {
  return mock.calls().map(({ args: [command] }) => ({ [command.constructor.name]: command.input }));
}
