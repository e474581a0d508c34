import type { Connection } from '#shared/domain/connection.ts';
import type { Clock } from '#shared/operations/ports.ts';

/** Keeps an earlier time; `at` in epoch milliseconds. @returns `null` when the connection does not exist */
export type MarkConnectionRevoked = (id: string, at: number) => Promise<Connection | null>;

type Deps = { readonly now: Clock; readonly markRevoked: MarkConnectionRevoked };

/** Revokes a connection permanently: its tokens are refused from the next request on. Repeating it changes nothing. */
export function revokeConnection(deps: Deps) {
  return (id: string): Promise<Connection | null> => deps.markRevoked(id, deps.now());
}
