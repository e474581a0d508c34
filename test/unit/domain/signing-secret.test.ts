import fc from 'fast-check';
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

describe('secretBytes()', () => {
  it('accepts every secret that can be made', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

    fc.assert(
      fc.property(bytes, (made) => {
        expect(Uint8Array.from(secretBytes(makeSigningSecret(made)))).toEqual(made);
      }),
    );
  });
});

describe('secretPrefix()', () => {
  it('returns the first twelve characters, which distinguish two secrets', () => {
    const [one, other] = [random, random.toReversed()].map(makeSigningSecret);

    expect(secretPrefix(one ?? '')).toBe(one?.slice(0, 12));
    expect(secretPrefix(one ?? '')).not.toBe(secretPrefix(other ?? ''));
  });
});
