import type { Table } from '#shared/aws/clients.ts';

/** The table as a worker reaches it that dies once it has written so often: all that it writes afterwards fails. */
export function dyingTable(table: Table, writes: number): Table {
  let left = writes;
  const dying =
    <I, O>(write: (input: I) => Promise<O>) =>
    async (input: I) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      return await write(input);
    };
  const { batchWrite, executeBatch, put, transactWrite, update, ...reads } = table.client;
  return {
    ...table,
    client: {
      ...reads,
      batchWrite: dying(batchWrite),
      executeBatch: dying(executeBatch),
      put: dying(put),
      transactWrite: dying(transactWrite),
      update: dying(update),
    },
  };
}
