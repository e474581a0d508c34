import 'aws-sdk-client-mock-vitest/extend';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type AwsClientStub, mockClient } from 'aws-sdk-client-mock';
import type { Table } from '#shared/aws/clients.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';

/** The answer of a mocked client to a command that the test did not expect. */
export const unexpected = new Error('The test expects no such command');

export const tableName = 'webhooks-test';

/** A table with a mocked client, which refuses every command that the test did not stub. */
export function mockTable(): {
  table: Table;
  mock: AwsClientStub<DynamoDBDocumentClient>;
  reports: readonly TelemetryEvent[];
} {
  const mock = mockClient(DynamoDBDocumentClient);
  mock.rejects(unexpected);
  const client = tableClient(new DynamoDBClient({ region: 'us-east-1' }));
  const reports: TelemetryEvent[] = [];
  const report = (event: TelemetryEvent) => void reports.push(event);
  return { table: { client, name: tableName, report }, mock, reports };
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
