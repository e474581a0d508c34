import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

/** @returns `false` when the customer does not exist */
export type StoreApiKey = (key: StoredApiKey) => Promise<boolean>;

/** Every key of a customer, newest first. */
export type ReadApiKeys = (customerId: string) => Promise<readonly StoredApiKey[]>;

/**
 * Revokes a key permanently, from the next request on. Keeps an earlier time; `at` in epoch milliseconds.
 *
 * @returns `null` when the customer has no key with this id
 */
export type MarkApiKeyRevoked = (customerId: string, id: string, at: number) => Promise<StoredApiKey | null>;

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly makeKey: (random: Uint8Array) => string;
  readonly hashKey: (key: string) => string;
  readonly storeApiKey: StoreApiKey;
};

const shownCharacters = 10;

/**
 * Issues a key to a customer. Only the returned value contains the key.
 *
 * @returns `null` when the customer does not exist
 */
export function issueApiKey(deps: Deps) {
  return async (
    customerId: string,
  ): Promise<{ readonly key: string; readonly stored: StoredApiKey } | null> => {
    const createdAt = deps.now();
    const key = deps.makeKey(deps.randomBytes(32));
    const stored: StoredApiKey = {
      id: makeId('apiKey', createdAt, deps.randomBytes(10)),
      customerId,
      hash: deps.hashKey(key),
      prefix: key.slice(0, shownCharacters),
      createdAt,
      revokedAt: null,
    };
    return (await deps.storeApiKey(stored)) ? { key, stored } : null;
  };
}
