import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Clock } from '#shared/operations/ports.ts';

/** Keeps an earlier time; `at` in epoch milliseconds. @returns `null` when the customer has no key with this id */
export type MarkApiKeyRevoked = (customerId: string, id: string, at: number) => Promise<StoredApiKey | null>;

type Deps = { readonly now: Clock; readonly markRevoked: MarkApiKeyRevoked };

/** Revokes a key permanently, from the next request on. Repeating it changes nothing. */
export function revokeApiKey(deps: Deps) {
  return (customerId: string, id: string): Promise<StoredApiKey | null> =>
    deps.markRevoked(customerId, id, deps.now());
}
