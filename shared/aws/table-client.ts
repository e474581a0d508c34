import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  BatchWriteCommandInput,
  BatchWriteCommandOutput,
  GetCommandInput,
  GetCommandOutput,
  PutCommandInput,
  PutCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteCommandInput,
  UpdateCommandInput,
  UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';

type Answer<Output> = Omit<Output, '$metadata'>;

/**
 * The operations of DynamoDB that this service uses, with items as plain objects. Every operation tries a request again
 * when the service is busy or unreachable, and throws its last error; a failed condition is thrown at once.
 */
export type TableClient = {
  get(input: GetCommandInput): Promise<Answer<GetCommandOutput>>;
  /** @throws ConditionFailed */
  put(input: PutCommandInput): Promise<Answer<PutCommandOutput>>;
  /** @throws ConditionFailed */
  update(input: UpdateCommandInput): Promise<Answer<UpdateCommandOutput>>;
  query(input: QueryCommandInput): Promise<Answer<QueryCommandOutput>>;
  /** @throws TransactionCancelled */
  transactWrite(input: TransactWriteCommandInput): Promise<void>;
  batchGet(input: BatchGetCommandInput): Promise<Answer<BatchGetCommandOutput>>;
  batchWrite(input: BatchWriteCommandInput): Promise<Answer<BatchWriteCommandOutput>>;
  /** Closes the connections. */
  close(): void;
};

/** A write whose condition failed. It changed nothing. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionalCheckFailedException';
  /** The item at that time; `null` when there was none or the write did not ask for it. */
  readonly item: Readonly<Record<string, unknown>> | null;

  constructor(message: string, item: Readonly<Record<string, unknown>> | null, options?: ErrorOptions) {
    super(message, options);
    this.item = item;
  }
}

/** A transaction that was cancelled. It changed nothing. */
export class TransactionCancelled extends Error {
  override readonly name = 'TransactionCanceledException';
  /** One code for each write, in order: `None`, `ConditionalCheckFailed`, `TransactionConflict` and so on. */
  readonly reasons: readonly string[];

  constructor(message: string, reasons: readonly string[], options?: ErrorOptions) {
    super(message, options);
    this.reasons = reasons;
  }
}
