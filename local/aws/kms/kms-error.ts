/** A failure under the name that the SDK turns into its exception. All are status 400 but the last. */
export class KmsError extends Error {
  override readonly name = 'KmsError';
  readonly code:
    | 'ValidationException'
    | 'NotFoundException'
    | 'InvalidCiphertextException'
    | 'IncorrectKeyException'
    | 'UnknownOperationException'
    | 'KMSInternalException';

  constructor(code: KmsError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
