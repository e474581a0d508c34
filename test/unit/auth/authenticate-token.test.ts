import { describe, expect, it } from 'vitest';
import { authenticate, authenticateToken } from '#shared/auth/authenticate.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { connectionId } from '../../support/http/token-issuer.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

const connection: Connection = {
  id: connectionId,
  user: 'user-1',
  organization: customerId,
  createdAt: startOfTest,
  revokedAt: null,
  accessRevokedAt: null,
};
const ended = { revokedAt: startOfTest, accessRevokedAt: startOfTest };

/** @param stored the stored connection; `null` for none */
function check(stored: Connection | null) {
  const verified: string[] = [];
  const read: string[] = [];
  const run = authenticate({
    findApiKey: unexpected('findApiKey'),
    authenticateToken: authenticateToken({
      verifyToken: async (token) => {
        verified.push(token);
        return connectionId;
      },
      readConnection: async (id) => {
        read.push(id);
        return stored;
      },
    }),
  });
  return { verified, read, result: run('bearer a.b.c') };
}

describe('authenticateToken()', () => {
  it('returns the organization of the connection, and counts requests by connection', async () => {
    const { verified, read, result } = check(connection);

    expect(await result).toEqual({ customerId, credentialId: connectionId });
    expect([verified, read]).toEqual([['a.b.c'], [connectionId]]);
  });

  it.each<readonly [string, string, Partial<Connection> | null]>([
    ['invalid_token', 'does not exist', null],
    ['connection_revoked', 'is revoked in every way', { ...ended, organization: null }],
    [
      'organization_not_selected',
      'has no organization any more',
      { ...ended, organization: null, revokedAt: null },
    ],
  ])('answers %s to a connection that %s', async (code, _case, given) => {
    const { result } = check(given === null ? null : { ...connection, ...given });

    await expect(result).rejects.toMatchObject({ code });
  });

  it('reads the connection for every request', async () => {
    const states = [connection, { ...connection, revokedAt: startOfTest }];
    const run = authenticateToken({
      verifyToken: async () => connectionId,
      readConnection: async () => states.shift() ?? null,
    });

    await expect(run('a.b.c')).resolves.toMatchObject({ customerId });
    await expect(run('a.b.c')).rejects.toMatchObject({ code: 'connection_revoked' });
  });
});
