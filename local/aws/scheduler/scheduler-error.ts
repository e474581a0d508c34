/** A failure that the caller of the API gets to see, under the name the SDK turns into its exception. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';
  readonly code: SchedulerErrorCode;

  constructor(code: SchedulerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type SchedulerErrorCode = keyof typeof statusOf;

export const statusOf = {
  ValidationException: 400,
  UnknownOperationException: 400,
  ResourceNotFoundException: 404,
  ConflictException: 409,
  InternalServerException: 500,
} as const;
