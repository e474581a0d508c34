import { describe, expect, it } from 'vitest';
import { presentCredential } from '#shared/contract/records/credential.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

describe('presentCredential()', () => {
  it.each([
    ['aky_1', 'api_key'],
    ['con_1', 'access_token'],
    ['plk_1', 'portal_link'],
  ])('says of what kind %s is, for which customer it acts, and until when', (credentialId, kind) => {
    const caller = {
      credentialId,
      customerId,
      publicName: 'Acme Video',
      endsAt: startOfTest,
      readOnly: true,
    };

    expect(presentCredential(caller)).toEqual({
      id: credentialId,
      kind,
      customer_id: customerId,
      customer_name: 'Acme Video',
      expires_at: new Date(startOfTest).toISOString(),
      read_only: true,
    });
  });

  it('has no name for a customer without a public one, and no end for a credential without one', () => {
    const caller = { credentialId: 'aky_1', customerId, publicName: '', endsAt: null, readOnly: false };

    expect(presentCredential(caller)).toMatchObject({
      customer_name: null,
      expires_at: null,
      read_only: false,
    });
  });
});
