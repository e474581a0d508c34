import * as z from 'zod/mini';
import type { Connection } from '#shared/domain/connection.ts';
import { connectionKey } from '../keys.ts';
import { orNull, type ReadRow, storedRecord, time } from '../stored-row.ts';

const stored = storedRecord('Connection', {
  id: z.string(),
  user: z.string(),
  organization: orNull(z.string()),
  createdAt: time,
  revokedAt: orNull(time),
  accessRevokedAt: orNull(time),
});

export const fromConnectionItem: ReadRow<Connection> = stored.read;

export function toConnectionItem(connection: Connection) {
  return { ...connectionKey(connection.id), ...stored.attributes(connection) };
}
