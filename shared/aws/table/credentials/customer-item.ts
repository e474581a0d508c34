import * as z from 'zod/mini';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { orNull, type ReadRow, storedRecord, time } from '../stored-row.ts';

const customer = storedRecord('Customer', {
  id: z.string(),
  name: z.string(),
  publicName: z.optional(z.string()),
  reference: z.optional(z.string()),
  metadata: z.optional(z.record(z.string(), z.string())),
  createdAt: time,
});

export const fromCustomerItem: ReadRow<Customer> = customer.read;

/** The attributes of both rows of a customer. */
export const toCustomerFacts = (stored: Customer) => customer.attributes(stored);

const apiKey = storedRecord('API key', {
  id: z.string(),
  customerId: z.string(),
  hash: z.string(),
  prefix: z.string(),
  createdAt: time,
  revokedAt: orNull(time),
});

export const fromApiKeyItem: ReadRow<StoredApiKey> = apiKey.read;

const reference = storedRecord('Customer reference', { customerId: z.string() });

/** The id of the customer that has a reference. */
export const fromReferenceItem = (row: unknown): string => reference.read(row).customerId;

/** The attributes of both rows of an API key. */
export const toApiKeyFacts = (key: StoredApiKey) => apiKey.attributes(key);
