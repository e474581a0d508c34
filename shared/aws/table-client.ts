import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type * as sdk from '@aws-sdk/lib-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { RequestOptions } from './kept-connections.ts';

type Answer<Output> = Omit<Output, '$metadata'>;

/**
 * The operations of DynamoDB that this service uses, with items as plain objects. Every operation tries a request again
 * when the service is busy or unreachable, and throws its last error; a failed condition is thrown at once.
 */
export type TableClient = {
  get(input: sdk.GetCommandInput, options?: RequestOptions): Promise<Answer<sdk.GetCommandOutput>>;
  put(input: sdk.PutCommandInput): Promise<Answer<sdk.PutCommandOutput>>;
  update(input: sdk.UpdateCommandInput): Promise<Answer<sdk.UpdateCommandOutput>>;
  query(input: sdk.QueryCommandInput): Promise<Answer<sdk.QueryCommandOutput>>;
  transactWrite(input: sdk.TransactWriteCommandInput): Promise<void>;
  batchGet(input: sdk.BatchGetCommandInput, options?: RequestOptions): Promise<Answer<sdk.BatchGetCommandOutput>>;
  batchWrite(input: sdk.BatchWriteCommandInput): Promise<Answer<sdk.BatchWriteCommandOutput>>;
  executeBatch(input: sdk.BatchExecuteStatementCommandInput): Promise<Answer<sdk.BatchExecuteStatementCommandOutput>>;
  /** Closes the connections. */
  close(): void;
};

export function tableClient(bare: DynamoDBClient): TableClient {
  const documents = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: true } });
  return {
    get: (input, options = {}) => documents.send(new GetCommand(input), options),
    put: (input) => documents.send(new PutCommand(input)),
    update: (input) => documents.send(new UpdateCommand(input)),
    query: (input) => documents.send(new QueryCommand(input)),
    transactWrite: async (input) => void (await documents.send(new TransactWriteCommand(input))),
    batchGet: (input, options = {}) => documents.send(new BatchGetCommand(input), options),
    batchWrite: (input) => documents.send(new BatchWriteCommand(input)),
    executeBatch: (input) => documents.send(new BatchExecuteStatementCommand(input)),
    close: () => bare.destroy(),
  };
}
