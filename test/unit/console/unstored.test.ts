import { describe, expect, it } from 'vitest';
import {
  ownerOf,
  secretFor,
  type Unstored,
  withoutSecret,
  withSecret,
} from '../../../console/kept/unstored.ts';

const unstored = (webhookId: string, secret: string): Unstored => ({
  webhookId,
  url: 'https://hooks.example.com/runs',
  secret,
  owner: { id: 'cus_1', label: 'Northwind Studio' },
  handshake: null,
});

describe('secrets that are not stored yet', () => {
  it('are those of their owner alone, one for each endpoint, until they are forgotten', () => {
    const known = [unstored('whe_1', 'old'), unstored('whe_2', 'other'), unstored('whe_1', 'new')].reduce(
      withSecret,
      [],
    );

    expect(secretFor(known, 'whe_1', 'cus_1')?.secret).toBe('new');
    expect(secretFor(known, 'whe_1', 'cus_2')).toBeNull();
    expect(withoutSecret(known, 'whe_1').map(({ secret }) => secret)).toEqual(['other']);
  });

  it('an owner without a name is called by the id', () => {
    const credential = { id: 'aky_1', kind: 'api_key', customer_id: 'cus_1', expires_at: null } as const;

    expect(ownerOf({ ...credential, customer_name: '' })).toEqual({ id: 'cus_1', label: 'cus_1' });
    expect(ownerOf({ ...credential, customer_name: 'Northwind' }).label).toBe('Northwind');
  });
});
