import { describe, expect, it } from 'vitest';
import { authenticate, authenticateToken } from '#shared/auth/authenticate.ts';
import { toConnectionItem } from '#shared/aws/table/credentials/connection-item.ts';
import { markRevoked } from '#shared/aws/table/credentials/connections.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { connectionId } from '../../support/http/token-issuer.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { recordStore } from '../../support/table/record-store.ts';
import { buildConnection, customerId, startOfTest } from '../../support/values/builders.ts';

const connection = buildConnection({ id: connectionId });
const ended = { revokedAt: startOfTest, accessRevokedAt: startOfTest };

/** @param stored the stored connection; `null` for none */
function check(stored: Connection | null) {
  const verified: string[] = [];
  const { table, records, asked } = recordStore();
  if (stored !== null) records.put(toConnectionItem(stored));
  const verifyToken = async (token: string) => {
    verified.push(token);
    return connectionId;
  };
  const run = authenticate({
    table,
    authenticateToken: authenticateToken({ table, verifyToken }),
    authenticateLink: unexpected('authenticateLink'),
  });
  return { verified, table, asked, run: () => run('bearer a.b.c') };
}

describe('authenticateToken()', () => {
  it('returns the organization of the connection, and counts requests by connection', async () => {
    const { verified, asked, run } = check(connection);

    expect(await run()).toEqual({ customerId, credentialId: connectionId });
    expect([verified, asked]).toEqual([['a.b.c'], ['get CON']]);
  });

  it.each<readonly [string, string, Partial<Connection> | null]>([
    ['invalid_token', 'does not exist', null],
    ['connection_revoked', 'is revoked in every way', { ...ended, organization: null }],
    ['organization_not_selected', 'has no organization any more', { ...ended, organization: null, revokedAt: null }],
  ])('answers %s to a connection that %s', async (code, _case, given) => {
    const { run } = check(given === null ? null : { ...connection, ...given });

    await expect(run()).rejects.toMatchObject({ code });
  });

  it('reads the connection for every request', async () => {
    const { table, run } = check(connection);

    await expect(run()).resolves.toMatchObject({ customerId });
    await markRevoked(table, connectionId, startOfTest);
    await expect(run()).rejects.toMatchObject({ code: 'connection_revoked' });
  });
});
