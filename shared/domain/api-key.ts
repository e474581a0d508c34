/** The stored part of an API key. The key itself is shown once and never stored. Times are epoch milliseconds. */
export type StoredApiKey = {
  readonly id: string;
  readonly customerId: string;
  /** SHA-256 of the key, lowercase hex. */
  readonly hash: string;
  /** Leading characters of the key, to tell keys apart. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
};
