import * as z from 'zod/mini';
import type { Connection } from '#shared/domain/connection.ts';
import { connectionKey } from '../keys.ts';
import { reads, time } from '../stored-row.ts';

const connectionItem = z.object({
  id: z.string(),
  user: z.string(),
  organization: z.optional(z.string()),
  created_at: time,
  revoked_at: z.optional(time),
  access_revoked_at: z.optional(time),
});

export function toConnectionItem(connection: Connection) {
  const { id, user, organization, createdAt, revokedAt, accessRevokedAt } = connection;
  return {
    ...connectionKey(id),
    id,
    user,
    ...(organization === null ? {} : { organization }),
    created_at: createdAt,
    ...(revokedAt === null ? {} : { revoked_at: revokedAt }),
    ...(accessRevokedAt === null ? {} : { access_revoked_at: accessRevokedAt }),
  };
}

export const fromConnectionItem = reads(
  'Connection',
  connectionItem,
  (item): Connection => ({
    id: item.id,
    user: item.user,
    organization: item.organization ?? null,
    createdAt: item.created_at,
    revokedAt: item.revoked_at ?? null,
    accessRevokedAt: item.access_revoked_at ?? null,
  }),
);
