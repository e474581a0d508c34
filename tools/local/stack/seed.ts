import { randomBytes } from 'node:crypto';
import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import { localAddress } from '#shared/aws/client-settings.ts';
import { connectTable, type Table } from '#shared/aws/clients.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { localRegion } from '../template/identities.ts';
import type { SeededCustomer } from './stack-file.ts';

/** The table to create customers in. */
export type SeedTarget = {
  readonly tableName: string;
  /** Origin of the DynamoDB emulator. */
  readonly dynamodbUrl: string;
};

/** Creates one customer for each name, each with one API key, as an operator would. */
export async function seedCustomers(target: SeedTarget, names: readonly string[]): Promise<readonly SeededCustomer[]> {
  // Seeding reads no rows, so there are none to report as unreadable.
  const table = connectTable(target.tableName, () => {}, localAddress(target.dynamodbUrl, localRegion));
  try {
    return await Promise.all(names.map((name) => seedCustomer(table, name)));
  } finally {
    table.client.close();
  }
}

async function seedCustomer(table: Table, name: string): Promise<SeededCustomer> {
  const deps = { table, now: Date.now, randomBytes };
  const customer = await createCustomer(deps)(name, name);
  const issue = issueApiKey({
    ...deps,
    makeKey: makeApiKey,
    hashKey: hashCredential,
  });
  const issued = await issue(customer.id);
  if (issued === null) throw new Error(`Cannot issue a key: customer "${customer.id}" was not stored`);
  return { id: customer.id, api_key: issued.key };
}
