/** A call that SQS refuses. */
export class SqsError extends Error {
  override readonly name = 'SqsError';
  /** Such as `QueueDoesNotExist`. */
  readonly code: string;
  /** Code of the older protocol, which an SDK reads from the header `x-amzn-query-error`. */
  readonly queryCode: string;

  constructor(code: string, message: string, queryCode = code) {
    super(message);
    this.code = code;
    this.queryCode = queryCode;
  }
}
