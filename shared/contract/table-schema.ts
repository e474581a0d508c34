/**
 * Names of the one table's keys and indexes, as `lib/` creates them and `shared/aws/table` writes them.
 * docs/table.md lists the keys of every kind of item and the access patterns they serve.
 */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  expiresAt: 'expires_at',
  /** Partition key of the one item that functions which only read lists may create. */
  cursorSecretPartition: 'CURSOR_SECRET',
  /** Beginning of the partition keys that every operation of a customer may write. */
  rateWindowPrefix: 'RATE#',
  indexes: {
    /** Sparse: deliveries that wait for a wake-up outside the queue, by the time it is due. */
    waiting: { name: 'waiting', partitionKey: 'waiting_pk', sortKey: 'waiting_sk' },
    /** Sparse: stored results that are found by their own id, listed by time. */
    listed: { name: 'listed', partitionKey: 'listed_pk', sortKey: 'listed_sk' },
  },
} as const;
