import * as z from 'zod/mini';
import { limits } from '#shared/contract/limits.ts';
import { givenId, isLabel } from '#shared/contract/text-rules.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { isOwnId } from '#shared/domain/ids.ts';
import { requestKeyForm } from '#shared/domain/request-key.ts';

/**
 * What the operator's own programs ask the functions below `functions/operator` about customers and their keys. An
 * unknown member is refused: a misspelled one would be lost.
 */

const text = (most: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(most), isLabel());

/** Visible, so that it can be typed and compared by eye. */
export const customerReference = z
  .string()
  .check(
    z.maxLength(limits.customerReferenceLength),
    z.regex(/^[!-~]+$/, 'must be visible ASCII characters without spaces'),
  );

/** The AWS SDK takes an object with a member `constructor` for an instance of a class, and writes none. */
const metadataName = z.string().check(
  z.regex(/^(?!constructor$)[\w.-]+$/, {
    error: 'must have names of letters, digits, `_`, `-` and `.`, other than `constructor`',
    abort: true,
  }),
  z.maxLength(limits.metadataNameLength, `must have names of at most ${limits.metadataNameLength} characters`),
);

export const customerMetadata = z
  .record(metadataName, z.string().check(z.maxLength(limits.metadataValueLength), isLabel()))
  .check(
    z.refine(
      (members) => Object.keys(members).length <= limits.metadataMembers,
      `must have at most ${limits.metadataMembers} members`,
    ),
  );

export const createCustomerRequest = z.strictObject({
  name: text(limits.customerNameLength),
  public_name: z.optional(text(limits.customerNameLength)),
  reference: z.optional(customerReference),
  metadata: z.optional(customerMetadata),
});

/** Of an operator's list. Its cursor is the id after which the page begins. */
const pageOf = (kind: 'customer' | 'apiKey') => ({
  limit: z._default(z.int().check(z.minimum(1), z.maximum(limits.pageSizeMax)), limits.pageSizeDefault),
  cursor: z.optional(z.string().check(z.refine((text) => isOwnId(kind, text), 'must be the `next_cursor` of a page'))),
});

export const listCustomersRequest = z.strictObject({
  ...pageOf('customer'),
  reference: z.optional(customerReference),
});

export const createApiKeyRequest = z.strictObject({
  customer_id: givenId(),
  /** Required: clients of AWS send a call again whose answer they did not get. */
  idempotency_key: z.string().check(z.regex(requestKeyForm, 'must be 1 to 255 visible ASCII characters')),
});

export const listApiKeysRequest = z.strictObject({ customer_id: givenId(), ...pageOf('apiKey') });

export const revokeApiKeyRequest = z.strictObject({ customer_id: givenId(), key_id: givenId() });

/** As the operator sees it. Customers see the public name alone. */
export function presentCustomer(customer: Customer) {
  const { id, name, publicName = '', reference = null, metadata = {}, createdAt } = customer;
  const public_name = publicName === '' ? null : publicName;
  return { id, name, public_name, reference, metadata, created_at: timestamp(createdAt) };
}

/** A key without its text, and without the hash, which no operator needs. */
export function presentApiKey({ id, customerId: customer_id, prefix, createdAt, revokedAt }: StoredApiKey) {
  return {
    id,
    customer_id,
    prefix,
    created_at: timestamp(createdAt),
    revoked_at: timestampOrNull(revokedAt),
  };
}
