import { onTestFinished } from 'vitest';
import { connectDynamodb, type Table } from '#shared/aws/clients.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import { localAccess } from './emulators.ts';
import type { TestTable } from './table.ts';

/**
 * The table as a function reaches it, over a connection that breaks instead of carrying the first answer to an
 * operation.
 *
 * @param operation such as `UpdateItem`
 */
export function losingTable(
  { endpoint, name, report }: TestTable,
  operation: string,
): { readonly table: Table; readonly lost: () => number } {
  let lost = 0;
  const client = connectDynamodb({ ...localAccess, endpoint });
  onTestFinished(() => client.destroy());
  // Each try of a request passes here, after the client has signed it.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (lost > 0 || commandName !== `${operation}Command`) return result;
        lost += 1;
        // What Node.js throws then.
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
    { step: 'deserialize', priority: 'high' },
  );
  return { table: { client: tableClient(client), name, report }, lost: () => lost };
}
