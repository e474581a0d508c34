import type { StoreReplay } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

/** One transaction. */
export function storeReplay(table: MemoryTable, io: Io): StoreReplay {
  return (replay, dueAt, only) =>
    io({ service: 'table', name: 'store replay', transaction: { token: replay.id, done: true } }, () => {
      const row = table.delivery({ ...replay, id: replay.replayOf });
      if (row === null) return false;
      const { delivery: original } = row;
      if (only !== null && (original.status !== only || original.replayedBy !== null)) return false;
      table.putDelivery(replay, dueAt);
      table.putDelivery({ ...original, replayedBy: replay.id }, row.dueAt);
      return true;
    });
}
