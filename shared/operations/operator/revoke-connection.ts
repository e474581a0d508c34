import type { Connection } from '#shared/domain/connection.ts';
import type { Clock } from '#shared/operations/ports.ts';

type Deps = {
  readonly now: Clock;
  /** Keeps an earlier time. @returns `null` when there is no such connection */
  readonly markRevoked: (id: string, at: number) => Promise<Connection | null>;
};

/** Ends a connection for good: its tokens are refused from the next request on. Repeating it changes nothing. */
export function revokeConnection(deps: Deps) {
  return (id: string): Promise<Connection | null> => deps.markRevoked(id, deps.now());
}
