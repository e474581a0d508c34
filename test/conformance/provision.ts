import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { hashApiKey, makeApiKey } from '#shared/auth/api-key.ts';
import type { Table } from '#shared/aws/clients.ts';
import {
  markAccessRevoked,
  markRevoked,
  readConnection,
  storeConnection,
} from '#shared/aws/table/connections.ts';
import { markApiKeyRevoked, storeApiKey, storeCustomer } from '#shared/aws/table/customers.ts';
import { createConnection } from '#shared/operations/operator/create-connection.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { revokeAccess } from '#shared/operations/operator/revoke-access.ts';
import { revokeApiKey } from '#shared/operations/operator/revoke-api-key.ts';
import { revokeConnection } from '#shared/operations/operator/revoke-connection.ts';
import { configSchema, type SuiteConfig } from '../../conformance/harness/config.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { stackTable } from '../support/stack/stack-table.ts';

/** Times of the local stack pass this many times faster: an hour of retries takes three seconds. */
export const timeScale = 1200;

type Amounts = { readonly keys?: number; readonly otherKeys?: number; readonly credentials?: boolean };

const deps = { now: Date.now, randomBytes };

/** Creates two customers on a running stack, with every credential and setting that the suite can use. */
export async function provision(stack: StackFile, amounts: Amounts = {}): Promise<SuiteConfig> {
  const table = stackTable(stack);
  try {
    return await provisionIn(table, stack, amounts);
  } finally {
    table.client.close();
  }
}

async function provisionIn(table: Table, stack: StackFile, amounts: Amounts): Promise<SuiteConfig> {
  const { keys = 12, otherKeys = 2, credentials = true } = amounts;
  const create = createCustomer({ ...deps, storeCustomer: storeCustomer(table) });
  const customer = await create('Customer of the suite');
  const other = await create('Other customer of the suite');
  const { origin, inbox_url } = stack.receiver;
  return configSchema.parse({
    url: stack.api_url,
    docs_url: stack.docs_url,
    keys: await issueKeys(table, customer.id, keys),
    other_keys: await issueKeys(table, other.id, otherKeys),
    limit_key: (await issueKeys(table, customer.id, 1))[0],
    receiver: { origin, inbox_url },
    intake: {
      endpoint: stack.endpoints.sqs,
      queue_url: stack.intake_queue_url,
      region: stack.region,
      customer_id: customer.id,
      other_customer_id: other.id,
    },
    time_scale: timeScale,
    credentials: credentials ? await makeCredentials(table, stack, customer.id) : {},
  });
}

async function issueKeys(table: Table, customerId: string, count: number): Promise<readonly string[]> {
  const issued = await Promise.all(Array.from({ length: count }, () => issueKey(table, customerId)));
  return issued.map(({ key }) => key);
}

async function issueKey(table: Table, customerId: string) {
  const issue = issueApiKey({
    ...deps,
    makeKey: makeApiKey,
    hashKey: hashApiKey,
    storeApiKey: storeApiKey(table),
  });
  const issued = await issue(customerId);
  if (issued === null) throw new Error(`Customer ${customerId} was not stored`);
  return issued;
}

async function makeCredentials(table: Table, stack: StackFile, customerId: string) {
  const [working, revoked, left, without, { key, stored }] = await Promise.all([
    connect(table, customerId),
    connect(table, customerId),
    connect(table, customerId),
    connect(table, null),
    issueKey(table, customerId),
  ]);
  await revokeConnection({ ...deps, markRevoked: markRevoked(table) })(revoked);
  await revokeAccess({
    ...deps,
    readConnection: readConnection(table),
    markAccessRevoked: markAccessRevoked(table),
  })(left);
  await revokeApiKey({ ...deps, markRevoked: markApiKeyRevoked(table) })(customerId, stored.id);
  return {
    revoked_key: key,
    token: await mint(stack, { connection_id: working }),
    expired_token: await mint(stack, { connection_id: working, expired: true }),
    foreign_audience_token: await mint(stack, { connection_id: working, audience: 'something-else' }),
    connection_revoked_token: await mint(stack, { connection_id: revoked }),
    organization_not_selected_token: await mint(stack, { connection_id: without }),
    organization_access_revoked_token: await mint(stack, { connection_id: left }),
  };
}

async function connect(table: Table, organization: string | null): Promise<string> {
  const create = createConnection({ ...deps, storeConnection: storeConnection(table) });
  const connection = await create('user_of_the_suite', organization);
  if (connection === null) throw new Error(`Organization ${organization} was not stored`);
  return connection.id;
}

const minted = z.object({ access_token: z.string() });

async function mint(stack: StackFile, wish: object): Promise<string> {
  const response = await fetch(`${stack.issuer.url}/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(wish),
  });
  return minted.parse(await response.json()).access_token;
}
