import * as z from 'zod/mini';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { reads, time } from '../stored-row.ts';

const customerItem = z.object({
  id: z.string(),
  name: z.string(),
  public_name: z.optional(z.string()),
  created_at: time,
});

const apiKeyItem = z.object({
  id: z.string(),
  customer_id: z.string(),
  hash: z.string(),
  prefix: z.string(),
  created_at: time,
  revoked_at: z.optional(time),
});

/** The attributes of both rows of a customer. */
export function toCustomerFacts(customer: Customer) {
  const { id, name, publicName, createdAt } = customer;
  const shown = publicName === undefined ? {} : { public_name: publicName };
  return { id, name, ...shown, created_at: createdAt };
}

export const fromCustomerItem = reads(
  'Customer',
  customerItem,
  ({ id, name, public_name, created_at }): Customer => ({
    id,
    name,
    publicName: public_name,
    createdAt: created_at,
  }),
);

/** The attributes of both rows of an API key. */
export function toApiKeyFacts(key: StoredApiKey) {
  return {
    id: key.id,
    customer_id: key.customerId,
    hash: key.hash,
    prefix: key.prefix,
    created_at: key.createdAt,
    ...(key.revokedAt === null ? {} : { revoked_at: key.revokedAt }),
  };
}

export const fromApiKeyItem = reads(
  'API key',
  apiKeyItem,
  (item): StoredApiKey => ({
    id: item.id,
    customerId: item.customer_id,
    hash: item.hash,
    prefix: item.prefix,
    createdAt: item.created_at,
    revokedAt: item.revoked_at ?? null,
  }),
);
