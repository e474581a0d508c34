import type { Command } from 'commander';
import { markApiKeyRevoked, readApiKeys } from '#shared/aws/table/credentials/customers.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { credentialActions } from './credential-commands.ts';
import { issueKey } from './issue-key.ts';

export function addKeyCommands(keys: Command): void {
  onTarget(keys.command('issue').description('Issue an API key, which is shown only once'))
    .requiredOption('--customer <id>', 'customer the key acts for')
    .action(invoke(issue));
  onTarget(keys.command('list').description('List all keys of a customer, newest first'))
    .requiredOption('--customer <id>', 'customer the keys act for')
    .action(list);
  onTarget(keys.command('revoke').description('Revoke a key permanently, from the next request on'))
    .requiredOption('--customer <id>', 'customer the key acts for')
    .requiredOption('--key <id>', 'id of the key, from keys list')
    .action(revoke);
}

const { list, revoke } = credentialActions({
  name: 'key',
  read: readApiKeys,
  markRevoked: markApiKeyRevoked,
  present,
  columns: {
    ID: ({ id }) => id,
    KEY: ({ prefix }) => `${prefix}…`,
    CREATED: ({ created_at }) => created_at,
    REVOKED: ({ revoked_at }) => revoked_at,
  },
  list: 'keys list',
  none: 'No keys yet. Issue one with',
  make: 'keys issue',
});

async function issue({ options, open, next, show }: Invocation<{ readonly customer: string }>) {
  const { table } = await open();
  const issued = await issueKey(table)(options.customer);
  if (issued === null) throw noCustomer(next, options.customer);
  const { revoked_at: _, ...key } = present(issued.stored);
  show({ ...key, api_key: issued.key }, [`Key ${key.id}, shown only once:`, issued.key]);
}

/** Omits the hash, which no operator needs. */
function present({ id, customerId, prefix, createdAt, revokedAt }: StoredApiKey) {
  return {
    id,
    customer_id: customerId,
    prefix,
    created_at: timestamp(createdAt),
    revoked_at: timestampOrNull(revokedAt),
  };
}
