/**
 * Names of the table's keys and indexes, which `lib/` creates and `shared/aws/table` writes.
 * docs/table.md lists the keys of every kind of item and the access patterns they serve.
 */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  expiresAt: 'expires_at',
  indexes: {
    /** Sparse: deliveries that wait for a wake-up outside the queue, by the time it is due. */
    waiting: { name: 'waiting', partitionKey: 'waiting_pk', sortKey: 'waiting_sk' },
    /** Sparse: stored results that are found by their own id, listed by time. */
    listed: { name: 'listed', partitionKey: 'listed_pk', sortKey: 'listed_sk' },
  },
} as const;

/**
 * The partition keys of each kind of item, or their prefixes. Keys are built from them, and so are the permissions of
 * the functions: the partition key alone decides which items a function can access.
 */
export const partitions = {
  /** A customer, its endpoints and its list of keys. */
  customer: 'CUS#',
  customerList: 'CUSTOMERS',
  /** Which customer has a reference of the operator. */
  customerReference: 'REF#',
  apiKey: 'KEY#',
  connection: 'CON#',
  portalLink: 'PTL#',
  deliveries: 'DLV#',
  /** The replays of each event, by which they are found. */
  eventReplays: 'EVT#',
  /** The bulk replays of each endpoint. */
  bulkReplays: 'RPL#',
  /** What was done to each endpoint, and by whom. */
  activity: 'ACT#',
  /** The requests with an `Idempotency-Key`. */
  request: 'REQ#',
  run: 'RUN#',
  runList: 'RUNS#',
  tracker: 'TRK#',
  /** The location of each Change Report, by its id. */
  changeReport: 'CHG#',
  creator: 'CRE#',
  rateWindow: 'RATE#',
  cursorSecret: 'CURSOR_SECRET',
  waiting: 'WAITING#',
} as const;

export type PartitionName = keyof typeof partitions;

/** A partition key. No function has permission for a key with another prefix. */
export type PartitionKey = `${(typeof partitions)[PartitionName]}${string}`;

/** The IAM pattern of the keys: a prefix that ends with the separator matches every key that begins with it. */
export function partitionPattern(name: PartitionName): string {
  const beginning = partitions[name];
  return beginning.endsWith('#') ? `${beginning}*` : beginning;
}
