import type { Command } from 'commander';
import { markApiKeyRevoked, readApiKeys, readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { listApiKeys } from '#shared/operations/operator/list-api-keys.ts';
import { revokeApiKey } from '#shared/operations/operator/revoke-api-key.ts';
import { now } from '#shared/runtime/system.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { noCustomer } from '../cli/place-options.ts';
import { nextCommand, onTarget, openTarget, type TargetOptions } from '../cli/target.ts';
import { recordTable } from '../cli/text-table.ts';
import { issueKey } from './issue-key.ts';

type Options = TargetOptions & OutputOptions & { readonly customer: string };

export function addKeyCommands(keys: Command, print: Output): void {
  onTarget(keys.command('issue').description('Issue an API key, which is shown only once'))
    .requiredOption('--customer <id>', 'customer the key acts for')
    .action((options: Options) => issue(print, options));
  onTarget(keys.command('list').description('List all keys of a customer, newest first'))
    .requiredOption('--customer <id>', 'customer the keys act for')
    .action((options: Options) => list(print, options));
  onTarget(keys.command('revoke').description('Revoke a key permanently, from the next request on'))
    .requiredOption('--customer <id>', 'customer the key acts for')
    .requiredOption('--key <id>', 'id of the key, from keys list')
    .action((options: Options & { readonly key: string }) => revoke(print, options));
}

async function issue(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const issued = await issueKey(table)(options.customer);
  if (issued === null) throw noCustomer(options, options.customer);
  const { id, customer_id, prefix, created_at } = present(issued.stored);
  show(print, options, { id, customer_id, prefix, created_at, api_key: issued.key }, [
    `Key ${id}, shown only once:`,
    issued.key,
  ]);
}

async function list(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const found = await listApiKeys({ readCustomer: readCustomer(table), readApiKeys: readApiKeys(table) })(
    options.customer,
  );
  if (found === null) throw noCustomer(options, options.customer);
  const keys = found.map(present);
  const lines =
    keys.length === 0
      ? [`No keys yet. Issue one with: ${nextCommand(options, `keys issue --customer ${options.customer}`)}`]
      : recordTable(keys, {
          ID: ({ id }) => id,
          KEY: ({ prefix }) => `${prefix}…`,
          CREATED: ({ created_at }) => created_at,
          REVOKED: ({ revoked_at }) => revoked_at,
        });
  show(print, options, keys, lines);
}

async function revoke(print: Output, options: Options & { readonly key: string }): Promise<void> {
  const { table } = await openTarget(options);
  const stored = await revokeApiKey({ now, markRevoked: markApiKeyRevoked(table) })(
    options.customer,
    options.key,
  );
  if (stored === null) {
    const list = nextCommand(options, `keys list --customer ${options.customer}`);
    throw new Error(`Customer ${options.customer} has no key ${options.key}. List them with: ${list}`);
  }
  const key = present(stored);
  show(print, options, key, [`Key ${key.id} has been revoked since ${key.revoked_at}`]);
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
