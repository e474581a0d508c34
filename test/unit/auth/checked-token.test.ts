import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashApiKey, isWellFormedApiKey, makeApiKey } from '#shared/auth/api-key.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const key = makeApiKey(new Uint8Array(32));

describe('makeApiKey()', () => {
  it('returns key_, the bytes in base64url and a checksum', () => {
    // The CRC-32 of 43 letters A is 0xc2b5986.
    expect(key).toBe(`key_${'A'.repeat(43)}0DofJ8`);
  });

  it('makes a well-formed key that contains its bytes', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const made = makeApiKey(bytes);

        expect(isWellFormedApiKey(made)).toBe(true);
        expect(Uint8Array.from(Buffer.from(made.slice(4, 47), 'base64url'))).toEqual(bytes);
      }),
    );
  });

  it.each([0, 31, 33])('refuses %i random bytes', (length) => {
    expect(() => makeApiKey(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('isWellFormedApiKey()', () => {
  it('refuses a key with any one character changed', () => {
    const changed = Array.from({ length: key.length }, (_, index) => {
      const other = key.charAt(index) === 'B' ? 'C' : 'B';
      return key.slice(0, index) + other + key.slice(index + 1);
    });

    expect(changed.filter(isWellFormedApiKey)).toEqual([]);
  });

  it.each(['', 'key_', key.slice(1), key.slice(0, -1), `${key}0`, `${key}\n`, ` ${key}`, key.toUpperCase()])(
    'refuses %j',
    (text) => {
      expect(isWellFormedApiKey(text)).toBe(false);
    },
  );
});

describe('hashApiKey()', () => {
  it('returns the SHA-256 of the whole key in lowercase hex', () => {
    expect(hashApiKey(key)).toBe(createHash('sha256').update(key, 'utf8').digest('hex'));
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
