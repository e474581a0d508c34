import type { Connection } from '#shared/domain/connection.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

/** @returns `false` when the organization is not a customer */
export type StoreConnection = (connection: Connection) => Promise<boolean>;

/**
 * Revokes a connection permanently: its tokens are refused from the next request on. Keeps an earlier time; `at` in epoch
 * milliseconds.
 *
 * @returns `null` when the connection does not exist
 */
export type MarkConnectionRevoked = (id: string, at: number) => Promise<Connection | null>;

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly storeConnection: StoreConnection;
};

/** Creates a connection of a user. @returns `null` when the organization is not a customer */
export function createConnection(deps: Deps) {
  return async (user: string, organization: string | null): Promise<Connection | null> => {
    const createdAt = deps.now();
    const connection: Connection = {
      id: makeId('connection', createdAt, deps.randomBytes(10)),
      user,
      organization,
      createdAt,
      revokedAt: null,
      accessRevokedAt: null,
    };
    return (await deps.storeConnection(connection)) ? connection : null;
  };
}
