import { describe, expect, it } from 'vitest';
import { makeSigningSecret, secretBytes, secretPrefix } from '#shared/domain/signing-secret.ts';

const random = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);

describe('makeSigningSecret()', () => {
  it('returns whsec_ and the bytes in standard base64', () => {
    const secret = makeSigningSecret(random);

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Uint8Array.from(Buffer.from(secret.slice(6), 'base64'))).toEqual(random);
  });

  it.each([0, 31, 33])('refuses %i random bytes', (length) => {
    expect(() => makeSigningSecret(new Uint8Array(length))).toThrow(RangeError);
  });
});

// test/unit/domain/signature.test.ts has which secrets are refused.
it.each([24, 32, 64])('secretBytes() returns the %i bytes of a secret', (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => 255 - index);

  expect(Uint8Array.from(secretBytes(`whsec_${Buffer.from(bytes).toString('base64')}`))).toEqual(bytes);
});

it('secretPrefix() returns the first twelve characters, which distinguish two secrets', () => {
  const [one, other] = [random, random.toReversed()].map(makeSigningSecret);

  expect(secretPrefix(one ?? '')).toBe(one?.slice(0, 12));
  expect(secretPrefix(one ?? '')).not.toBe(secretPrefix(other ?? ''));
});
