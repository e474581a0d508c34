import * as z from 'zod/mini';
import { type PartitionName, partitions } from '#shared/contract/table-schema.ts';

/**
 * How a row names the customer that it belongs to: by the part of its partition key after the prefix, by its sort key,
 * or by an attribute. `credential`: only by the id of a key or connection. `none`: not a row of a customer. `index`: the
 * partition of an index, which holds no rows of its own.
 */
type Owner = 'partition key' | 'sort key' | 'customer_id' | 'organization' | 'credential' | 'none' | 'index';

/** Every kind of partition is here, so a new one cannot be forgotten when a customer is deleted. */
export const owners: Readonly<Record<PartitionName, Owner>> = {
  customer: 'partition key',
  customerList: 'sort key',
  customerReference: 'customer_id',
  apiKey: 'customer_id',
  connection: 'organization',
  portalLink: 'customer_id',
  deliveries: 'partition key',
  eventReplays: 'partition key',
  bulkReplays: 'partition key',
  activity: 'partition key',
  request: 'partition key',
  run: 'partition key',
  runList: 'index',
  tracker: 'partition key',
  changeReport: 'partition key',
  creator: 'partition key',
  rateWindow: 'credential',
  cursorSecret: 'none',
  waiting: 'index',
};

/** The attributes of a row that decide whom it belongs to. */
export const ownerAttributes = ['pk', 'sk', 'id', 'customer_id', 'organization'] as const;

const ownedRow = z.object({
  pk: z.string(),
  sk: z.string(),
  id: z.catch(z.optional(z.string()), undefined),
  customer_id: z.catch(z.optional(z.string()), undefined),
  organization: z.catch(z.optional(z.string()), undefined),
});

/** `kind`: `null` for a row of a kind that this release does not know. */
export type OwnedRow = z.output<typeof ownedRow> & { readonly kind: PartitionName | null };

const kinds = Object.keys(owners).filter((name): name is PartitionName => Object.hasOwn(partitions, name));

/** A row with its kind, if it belongs to the customer. */
export function rowOf(customerId: string, row: unknown): OwnedRow | null {
  const found = ownedRow.parse(row);
  const kind = kinds.find((name) => isIn(found.pk, partitions[name])) ?? null;
  const owner = kind === null ? 'partition key' : owners[kind];
  return customerOf(found, owner) === customerId ? { ...found, kind } : null;
}

function isIn(pk: string, beginning: string): boolean {
  return beginning.endsWith('#') ? pk.startsWith(beginning) : pk === beginning;
}

/** The whole part of the key is compared: ids of customers may begin with the id of another one. */
function customerOf(row: z.output<typeof ownedRow>, owner: Owner): string | null {
  switch (owner) {
    case 'partition key':
      return row.pk.split('#')[1] ?? null;
    case 'sort key':
      return row.sk;
    case 'customer_id':
    case 'organization':
      return row[owner] ?? null;
    default:
      return null;
  }
}
