import type { Connection } from '#shared/domain/connection.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

/** @returns `false` when the organization is not a customer */
export type StoreConnection = (connection: Connection) => Promise<boolean>;

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
