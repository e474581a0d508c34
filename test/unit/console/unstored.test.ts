import { describe, expect, it } from 'vitest';
import { secretFor, type Unstored, withoutSecret, withSecret } from '../../../console/kept/unstored.ts';

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
});
