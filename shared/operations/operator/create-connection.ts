import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

/** A user's consent that access tokens may act for an organization. */
export type Connection = {
  readonly id: string;
  /** Who connected, as the token issuer calls them. */
  readonly user: string;
  /** The customer that tokens act for; `null` until one is selected. */
  readonly organization: string | null;
  readonly createdAt: number;
  /** When consent was withdrawn or the client disabled; for good. */
  readonly revokedAt: number | null;
  /** When the user left the organization; selecting one ends it. */
  readonly accessRevokedAt: number | null;
};

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  /** @returns `false` when there is no such customer */
  readonly storeConnection: (connection: Connection) => Promise<boolean>;
};

/** @returns `null` when the organization is no customer */
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
