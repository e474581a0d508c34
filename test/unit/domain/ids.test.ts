import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstIdAt, type IdKind, idPrefixes, idTime, isOwnId, makeId } from '#shared/domain/ids.ts';

const kinds = Object.keys(idPrefixes).filter((kind): kind is IdKind => kind in idPrefixes);
const kind = fc.constantFrom(...kinds);
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const entropy = fc.uint8Array({ minLength: 10, maxLength: 32 });

describe('makeId()', () => {
  it('returns the prefix of its kind and a ULID', () => {
    expect(makeId('webhook', 0, new Uint8Array(10))).toBe('whe_00000000000000000000000000');
    expect(makeId('event', 2 ** 48 - 1, new Uint8Array(10).fill(255))).toBe('evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
    // The example of the ULID specification.
    expect(makeId('delivery', 1469918176385, new Uint8Array(10))).toBe('whd_01ARYZ6S410000000000000000');
  });

  it('returns an id that contains its time, and that isOwnId() accepts for its kind only', () => {
    fc.assert(
      fc.property(kind, time, entropy, (of, at, bytes) => {
        const id = makeId(of, at, bytes);

        expect(idTime(id)).toBe(at);
        expect(kinds.filter((candidate) => isOwnId(candidate, id))).toEqual([of]);
      }),
    );
  });

  it('returns another id when any of the first ten bytes of entropy differs', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), fc.nat(9), (bytes, index) => {
        const changed = bytes.with(index, ((bytes[index] ?? 0) + 1) % 256);

        expect(makeId('run', 1, changed)).not.toBe(makeId('run', 1, bytes));
      }),
    );
  });
});

it('firstIdAt() sorts after every id that was made before that time, and before all others, to the millisecond', () => {
  const distance = fc.oneof(fc.integer({ min: -1, max: 1 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(kind, time, distance, entropy, (of, at, later, bytes) => {
      const made = Math.min(Math.max(0, at + later), 2 ** 48 - 1);

      expect(makeId(of, made, bytes) < firstIdAt(of, at)).toBe(made < at);
    }),
  );
});

it.each([
  ['nothing', ''],
  ['the prefix alone', 'whe_'],
  ['another kind', 'whd_00000000000000000000000000'],
  ['lower case', 'whe_0000000000000000000000000a'],
  ['letters that Crockford leaves out', 'whe_0000000000000000000000000I'],
  ['a letter too few', 'whe_0000000000000000000000000'],
  ['a letter too many', 'whe_000000000000000000000000000'],
  ['a time beyond 48 bits', 'whe_80000000000000000000000000'],
  ['a line end after it', 'whe_00000000000000000000000000\n'],
  ['something before it', ' whe_00000000000000000000000000'],
  ['a key separator', 'whe_0000000000000#000000000000'],
])('isOwnId() refuses %s', (_, text) => {
  expect(isOwnId('webhook', text)).toBe(false);
});
