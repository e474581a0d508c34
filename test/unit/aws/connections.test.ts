import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { authenticateToken } from '#shared/auth/authenticate-token.ts';
import { readConnection } from '#shared/aws/table/connections.ts';
import { mockTable } from '../../support/aws/aws-mocks.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

const granted = { id: 'con_1', user: 'user-1', organization: customerId, created_at: startOfTest };

describe('a connection whose change has not reached every copy of the table', () => {
  it.each([
    ['connection_revoked', { ...granted, revoked_at: startOfTest }],
    ['organization_access_revoked', { ...granted, access_revoked_at: startOfTest }],
  ])('is refused with %s from the next request on', async (code, changed) => {
    const { table, mock } = mockTable();
    // A read that is not strongly consistent may be answered by a copy that is behind.
    mock
      .on(GetCommand)
      .callsFake(({ ConsistentRead }) => ({ Item: ConsistentRead === true ? changed : granted }));
    const authenticate = authenticateToken({
      verifyToken: async () => 'con_1',
      readConnection: readConnection(table),
    });

    await expect(authenticate('a.b.c')).rejects.toMatchObject({ code });
  });
});
