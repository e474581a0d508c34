import type { Connection } from '#shared/domain/connection.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { ConnectionRefusal, ReadConnection } from './select-organization.ts';

/** Keeps an earlier time; `at` in epoch milliseconds. @returns `null` when the connection does not exist */
export type MarkAccessRevoked = (id: string, at: number) => Promise<Connection | null>;

type Deps = {
  readonly now: Clock;
  readonly readConnection: ReadConnection;
  readonly markAccessRevoked: MarkAccessRevoked;
};

/** Records that the user of a connection left its organization. Repeating it changes nothing. */
export function revokeAccess(deps: Deps) {
  return async (id: string): Promise<Connection | ConnectionRefusal> => {
    const connection = await deps.readConnection(id);
    if (connection === null) return 'unknown_connection';
    if (connection.organization === null) return 'organization_not_selected';
    return (await deps.markAccessRevoked(id, deps.now())) ?? 'unknown_connection';
  };
}
