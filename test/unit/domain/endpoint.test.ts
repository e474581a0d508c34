import { describe, expect, it } from 'vitest';
import { overlapEnd, overlapExpiresAt, validSecrets } from '#shared/domain/endpoint.ts';
import { buildEndpoint, hour, startOfTest } from '../../support/values/builders.ts';

const rotated = buildEndpoint({
  secret: 'new',
  previousSecret: 'old',
  previousSecretExpiresAt: overlapEnd(startOfTest),
});

describe('validSecrets() and overlapExpiresAt()', () => {
  const end = startOfTest + 24 * hour;

  it.each([
    { after: 0, secrets: ['new', 'old'], expires: end },
    { after: 24 * hour - 1, secrets: ['new', 'old'], expires: end },
    { after: 24 * hour, secrets: ['new'], expires: null },
    { after: 24 * hour + 1000, secrets: ['new'], expires: null },
  ])('are $secrets and $expires $after ms after a rotation', ({ after, secrets, expires }) => {
    expect(validSecrets(rotated, startOfTest + after)).toEqual(secrets);
    expect(overlapExpiresAt(rotated, startOfTest + after)).toBe(expires);
  });

  it('are the only secret and null for an endpoint that was never rotated', () => {
    const endpoint = buildEndpoint({ secret: 'only' });

    expect(validSecrets(endpoint, startOfTest)).toEqual(['only']);
    expect(overlapExpiresAt(endpoint, startOfTest)).toBeNull();
  });

  it('leave out a previous secret that is missing from an overlap', () => {
    expect(validSecrets({ ...rotated, previousSecret: null }, startOfTest)).toEqual(['new']);
  });
});
