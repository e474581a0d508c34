import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalHandle, isHandle } from '#shared/domain/creator.ts';

describe('canonicalHandle()', () => {
  it.each([
    ['Some.One', 'some.one'],
    ['@some.one', 'some.one'],
    ['@@some', 'some'],
    ['\u03aa\u0301x', '\u0390x'],
    ['CAFE\u0301', 'caf\u00e9'],
    ['a#b', 'a#b'],
  ])('makes %s into %s', (written, handle) => {
    expect(canonicalHandle(written)).toBe(handle);
  });

  it('returns a canonical handle unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('@', 'Σ', 'İ', 'Ϊ', '\u0301', '\u0307', 'ǅ', 'a', 'B', '\u212b') }),
        (text) => {
          const handle = canonicalHandle(text);
          expect(canonicalHandle(handle)).toBe(handle);
        },
      ),
    );
  });
});

describe('isHandle()', () => {
  it.each(['a', '@a', 'a b', 'a#b', 'ж', 'x'.repeat(128)])('accepts %s', (text) => {
    expect(isHandle(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['nothing but the sign', '@'],
    ['129 characters', 'x'.repeat(129)],
    ['half a character', '\ud83d'],
  ])('refuses %s', (_, text) => {
    expect(isHandle(text)).toBe(false);
  });
});
