import { hashApiKey, makeApiKey } from '#shared/auth/api-key.ts';
import type { Table } from '#shared/aws/clients.ts';
import { storeApiKey } from '#shared/aws/table/credentials/customers.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';

/** Issues an API key of a customer in a table. */
export function issueKey(table: Table): ReturnType<typeof issueApiKey> {
  const makers = { now, randomBytes, makeKey: makeApiKey, hashKey: hashApiKey };
  return issueApiKey({ ...makers, storeApiKey: storeApiKey(table) });
}
