import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandInput,
  type BatchExecuteStatementCommandOutput,
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
  DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  type GetCommandOutput,
  PutCommand,
  type PutCommandInput,
  type PutCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';

type Answer<Output> = Omit<Output, '$metadata'>;

/**
 * The operations of DynamoDB that this service uses, with items as plain objects. Every operation tries a request again
 * when the service is busy or unreachable, and throws its last error; a failed condition is thrown at once.
 */
export type TableClient = {
  get(input: GetCommandInput): Promise<Answer<GetCommandOutput>>;
  put(input: PutCommandInput): Promise<Answer<PutCommandOutput>>;
  update(input: UpdateCommandInput): Promise<Answer<UpdateCommandOutput>>;
  query(input: QueryCommandInput): Promise<Answer<QueryCommandOutput>>;
  transactWrite(input: TransactWriteCommandInput): Promise<void>;
  batchGet(input: BatchGetCommandInput): Promise<Answer<BatchGetCommandOutput>>;
  batchWrite(input: BatchWriteCommandInput): Promise<Answer<BatchWriteCommandOutput>>;
  executeBatch(input: BatchExecuteStatementCommandInput): Promise<Answer<BatchExecuteStatementCommandOutput>>;
  /** Closes the connections. */
  close(): void;
};

export function tableClient(bare: DynamoDBClient): TableClient {
  const documents = DynamoDBDocumentClient.from(bare, { marshallOptions: { removeUndefinedValues: true } });
  return {
    get: (input) => documents.send(new GetCommand(input)),
    put: (input) => documents.send(new PutCommand(input)),
    update: (input) => documents.send(new UpdateCommand(input)),
    query: (input) => documents.send(new QueryCommand(input)),
    transactWrite: async (input) => void (await documents.send(new TransactWriteCommand(input))),
    batchGet: (input) => documents.send(new BatchGetCommand(input)),
    batchWrite: (input) => documents.send(new BatchWriteCommand(input)),
    executeBatch: (input) => documents.send(new BatchExecuteStatementCommand(input)),
    close: () => bare.destroy(),
  };
}
