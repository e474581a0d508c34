import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hashCredential,
  isWellFormedApiKey,
  isWellFormedPortalCredential,
  makeApiKey,
  makePortalCredential,
} from '#shared/auth/checked-token.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const zeros = new Uint8Array(32);

describe.each([
  { name: 'an API key', tag: 'key_', make: makeApiKey, isWellFormed: isWellFormedApiKey },
  {
    name: 'the credential of a portal link',
    tag: 'ptl_',
    make: makePortalCredential,
    isWellFormed: isWellFormedPortalCredential,
  },
])('$name', ({ tag, make, isWellFormed }) => {
  const made = make(zeros);

  it('has the prefix of its kind, the bytes in base64url and a checksum, so that a scanner can find it', () => {
    // The CRC-32 of 43 letters A is 0xc2b5986.
    expect(made).toBe(`${tag}${'A'.repeat(43)}0DofJ8`);
  });

  it('is well-formed, and contains its bytes', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const credential = make(bytes);

        expect(isWellFormed(credential)).toBe(true);
        expect(Uint8Array.from(Buffer.from(credential.slice(4, 47), 'base64url'))).toEqual(bytes);
      }),
    );
  });

  it.each([0, 31, 33])('is not made of %i random bytes', (length) => {
    expect(() => make(new Uint8Array(length))).toThrow(
      new RangeError('Cannot make a credential: 32 random bytes are needed'),
    );
  });

  it('is refused with any one character changed, and in any other form', () => {
    const changed = Array.from({ length: made.length }, (_, index) => {
      const other = made.charAt(index) === 'B' ? 'C' : 'B';
      return made.slice(0, index) + other + made.slice(index + 1);
    });
    const others = ['', tag, made.slice(1), made.slice(0, -1), `${made}0`, `${made}\n`, ` ${made}`, made.toUpperCase()];
    const otherKind = [makeApiKey, makePortalCredential].map((each) => each(zeros)).filter((each) => each !== made);

    expect([...changed, ...others, ...otherKind].filter(isWellFormed)).toEqual([]);
  });
});

it('hashCredential() returns the SHA-256 of the whole credential in lowercase hex', () => {
  const key = makeApiKey(zeros);

  expect(hashCredential(key)).toBe(createHash('sha256').update(key, 'utf8').digest('hex'));
  expect(hashCredential('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
