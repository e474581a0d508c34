import type {
  CloseCustomer,
  ErasePass,
  ForgetCustomer,
} from '#shared/operations/operator/delete-customer.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable, OwnRow } from './memory-table.ts';

const service = 'table';

/** Each step reads rows and removes them, and others may write in between. */
export function closeCustomer(table: MemoryTable, io: Io, now: Clock): CloseCustomer {
  return async (customerId) => {
    const isThere = await io({ service, name: 'remove customer' }, () => table.removeCustomer(customerId));
    await io({ service, name: 'take slots' }, () => table.takeSlots(customerId));
    await io({ service, name: 'remove credentials' }, () => {
      for (const { kind, remove } of table.rowsOf(customerId)) if (kind === 'portalLink') remove();
    });
    await io({ service, name: 'revoke connections' }, () => table.revokeConnections(customerId, now()));
    const endpoints = await io({ service, name: 'find endpoints' }, () =>
      table.rowsOf(customerId).filter(({ kind }) => kind === 'endpoint'),
    );
    await removeAll(io, endpoints);
    const removed = endpoints.length + (isThere ? 1 : 0);
    return removed === 0 ? {} : { customer: removed };
  };
}

/** @param reading passes the time that it takes to read the table */
export function erasePass(table: MemoryTable, io: Io, reading: () => Promise<void>): ErasePass {
  return async (customerId, { isLast }) => {
    await reading();
    const rows = await io({ service, name: 'scan' }, () => table.rowsOf(customerId));
    const contents = rows.filter((row) => !isCredential(row));
    await removeAll(io, contents);
    const credentials = rows.filter(isCredential);
    if (isLast) await removeAll(io, credentials);
    const removed = contents.length + (isLast ? credentials.length : 0);
    return { removed: removed === 0 ? {} : { customer: removed }, foundContents: contents.length > 0 };
  };
}

export function forgetCustomer(table: MemoryTable, io: Io): ForgetCustomer {
  return (customerId) =>
    io({ service, name: 'remove listing' }, () => {
      table.holdingsOf(customerId).slots.clear();
      table.listedCustomers.delete(customerId);
    });
}

async function removeAll(io: Io, rows: readonly OwnRow[]): Promise<void> {
  if (rows.length === 0) return;
  await io({ service, name: `remove ${rows.length} rows` }, () => {
    for (const { remove } of rows) remove();
  });
}

const isCredential = ({ kind }: OwnRow): boolean => kind === 'portalLink' || kind === 'connection';
