import { describe, expect, it } from 'vitest';
import { authenticate } from '#shared/auth/authenticate.ts';
import { authenticateToken } from '#shared/auth/authenticate-token.ts';
import { problem } from '#shared/contract/problem.ts';
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

  const ended = { revokedAt: startOfTest, accessRevokedAt: startOfTest };

  it.each<readonly [string, number, string, Partial<Connection> | null]>([
    ['invalid_token', 401, 'a connection that does not exist', null],
    ['connection_revoked', 401, 'a connection that was revoked', { revokedAt: startOfTest }],
    [
      'connection_revoked',
      401,
      'a connection that is revoked in every way',
      { ...ended, organization: null },
    ],
    ['organization_not_selected', 403, 'a connection without an organization', { organization: null }],
    [
      'organization_not_selected',
      403,
      'a connection without an organization, even after its access was revoked',
      { organization: null, accessRevokedAt: startOfTest },
    ],
    [
      'organization_access_revoked',
      403,
      'a user who left the organization',
      { accessRevokedAt: startOfTest },
    ],
  ])('answers %s (%i) to %s', async (code, status, _case, given) => {
    const { result } = check(given === null ? null : { ...connection, ...given });

    await expect(result).rejects.toMatchObject({ code, status });
  });

  it('does not read a connection for a token that does not verify', async () => {
    const run = authenticateToken({
      verifyToken: () => Promise.reject(problem('invalid_token')),
      readConnection: unexpected('readConnection'),
    });

    await expect(run('a.b.c')).rejects.toMatchObject({ code: 'invalid_token' });
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
