/**
 * Names of the one table's keys and indexes, as `lib/` creates them and `shared/aws/table` writes them.
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
 * What the partition keys of each kind of item begin with, or are. Keys are made of them, and so are the permissions of
 * the functions: which items one can touch depends on the partition key alone.
 */
export const partitions = {
  /** A customer, its endpoints and its list of keys. */
  customer: 'CUS#',
  customerList: 'CUSTOMERS',
  apiKey: 'KEY#',
  connection: 'CON#',
  deliveries: 'DLV#',
  run: 'RUN#',
  runList: 'RUNS#',
  tracker: 'TRK#',
  /** Where each Change Report stands, by its id. */
  changeReport: 'CHG#',
  creator: 'CRE#',
  rateWindow: 'RATE#',
  cursorSecret: 'CURSOR_SECRET',
  waiting: 'WAITING#',
} as const;

export type PartitionName = keyof typeof partitions;

/** A partition key: of another beginning no function would have permission. */
export type PartitionKey = `${(typeof partitions)[PartitionName]}${string}`;

/** As a pattern of IAM: a key that ends with the separator goes on after it. */
export function partitionPattern(name: PartitionName): string {
  const beginning = partitions[name];
  return beginning.endsWith('#') ? `${beginning}*` : beginning;
}
