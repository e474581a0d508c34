import type { Clock } from '#shared/operations/ports.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable, OwnRow } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

/**
 * Each step reads rows and removes them, and others may write in between.
 *
 * @param reading passes the time that it takes to read the table
 */
export function erasurePorts(table: MemoryTable, ask: AskTable, now: Clock, reading: () => Promise<void>) {
  const removeAll = async (rows: readonly OwnRow[]): Promise<void> => {
    if (rows.length === 0) return;
    await ask(`remove ${rows.length} rows`, () => {
      for (const { remove } of rows) remove();
    });
  };
  return {
    closeCustomer: async (customerId) => {
      const isThere = await ask('remove customer', () => table.customers.delete(customerId));
      await ask('take slots', () => table.takeSlots(customerId));
      await ask('remove credentials', () => {
        for (const { kind, remove } of table.rowsOf(customerId)) if (kind === 'portalLink') remove();
      });
      await ask('revoke connections', () => table.revokeConnections(customerId, now()));
      const endpoints = await ask('find endpoints', () =>
        table.rowsOf(customerId).filter(({ kind }) => kind === 'endpoint'),
      );
      await removeAll(endpoints);
      return countOf(endpoints.length + (isThere ? 1 : 0));
    },

    erasePass: async (customerId, { isLast }) => {
      await reading();
      const rows = await ask('scan', () => table.rowsOf(customerId));
      const contents = rows.filter((row) => !isCredential(row));
      const credentials = isLast ? rows.filter(isCredential) : [];
      await removeAll(contents);
      await removeAll(credentials);
      return {
        removed: countOf(contents.length + credentials.length),
        foundContents: contents.length > 0,
      };
    },

    forgetCustomer: (customerId) =>
      ask('remove listing', () => {
        table.holdingsOf(customerId).slots.clear();
        table.listedCustomers.delete(customerId);
      }),
  } satisfies Partial<TableNeeds>;
}

const countOf = (rows: number) => (rows === 0 ? {} : { customer: rows });

const isCredential = ({ kind }: OwnRow): boolean => kind === 'portalLink' || kind === 'connection';
