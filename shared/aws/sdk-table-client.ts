import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ConditionFailed, type TableClient, TransactionCancelled } from './table-client.ts';

/** The operations of the table, by the AWS SDK. */
export function sdkTableClient(bare: DynamoDBClient): TableClient {
  const documents = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: true } });
  return {
    get: (input) => documents.send(new GetCommand(input)),
    put: (input) => translated(documents.send(new PutCommand(input))),
    update: (input) => translated(documents.send(new UpdateCommand(input))),
    query: (input) => documents.send(new QueryCommand(input)),
    transactWrite: async (input) => void (await translated(documents.send(new TransactWriteCommand(input)))),
    batchGet: (input) => documents.send(new BatchGetCommand(input)),
    batchWrite: (input) => documents.send(new BatchWriteCommand(input)),
    close: () => bare.destroy(),
  };
}

async function translated<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    throw toTableError(error);
  }
}

function toTableError(error: unknown): unknown {
  if (error instanceof ConditionalCheckFailedException) {
    const item = error.Item === undefined ? null : unmarshall(error.Item);
    return new ConditionFailed(error.message, item, { cause: error });
  }
  if (error instanceof TransactionCanceledException) {
    const reasons = (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code);
    return new TransactionCancelled(error.message, reasons, { cause: error });
  }
  return error;
}
