import { describe, expect, it } from 'vitest';
import { overlapEnd, overlapExpiresAt, validSecrets } from '#shared/domain/endpoint.ts';
import { buildEndpoint, hour, startOfTest } from '../../support/values/builders.ts';

const rotated = buildEndpoint({
  secret: 'new',
  previousSecret: 'old',
  previousSecretExpiresAt: overlapEnd(startOfTest),
});

describe('overlapEnd()', () => {
  it('returns 24 hours after the rotation', () => {
    expect(overlapEnd(startOfTest)).toBe(startOfTest + 24 * hour);
  });
});

describe('validSecrets()', () => {
  it('returns the only secret of an endpoint that was never rotated', () => {
    expect(validSecrets(buildEndpoint({ secret: 'only' }), startOfTest)).toEqual(['only']);
  });

  it.each([
    { after: 0, secrets: ['new', 'old'] },
    { after: 24 * hour - 1, secrets: ['new', 'old'] },
    { after: 24 * hour, secrets: ['new'] },
    { after: 24 * hour + 1000, secrets: ['new'] },
  ])('is $secrets $after ms after a rotation', ({ after, secrets }) => {
    expect(validSecrets(rotated, startOfTest + after)).toEqual(secrets);
  });

  it('returns the current secret when an overlap has no previous secret', () => {
    expect(validSecrets({ ...rotated, previousSecret: null }, startOfTest)).toEqual(['new']);
  });
});

describe('overlapExpiresAt()', () => {
  it.each([
    { after: 0, open: true },
    { after: 24 * hour - 1, open: true },
    { after: 24 * hour, open: false },
    { after: 24 * hour + 1000, open: false },
  ])('says that the overlap is open $after ms after a rotation: $open', ({ after, open }) => {
    expect(overlapExpiresAt(rotated, startOfTest + after)).toBe(open ? startOfTest + 24 * hour : null);
  });

  it('returns null for an endpoint that was never rotated', () => {
    expect(overlapExpiresAt(buildEndpoint(), startOfTest)).toBeNull();
  });
});
