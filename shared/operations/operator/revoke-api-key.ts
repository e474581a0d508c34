import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Clock } from '#shared/operations/ports.ts';

type Deps = {
  readonly now: Clock;
  /** Keeps an earlier time. @returns `null` when the customer has no such key */
  readonly markRevoked: (customerId: string, id: string, at: number) => Promise<StoredApiKey | null>;
};

/** Ends a key for good: it is refused from the next request on. Repeating it changes nothing. */
export function revokeApiKey(deps: Deps) {
  return (customerId: string, id: string): Promise<StoredApiKey | null> =>
    deps.markRevoked(customerId, id, deps.now());
}
