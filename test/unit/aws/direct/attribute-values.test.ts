import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAttributes, toAttributes } from '#shared/aws/direct/attribute-values.ts';

const safeNumber = fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e15, max: 1e15, noNaN: true }));
const bytes = fc.uint8Array({ maxLength: 8 });
const leaf = fc.oneof(
  fc.string(),
  safeNumber,
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
  bytes,
  fc.uniqueArray(fc.string(), { minLength: 1 }).map((members) => new Set(members)),
  fc.uniqueArray(safeNumber, { minLength: 1 }).map((members) => new Set(members)),
  fc.array(bytes, { minLength: 1, maxLength: 3 }).map((members) => new Set(members)),
);
const name = fc.string().filter((text) => text !== '__proto__');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5 }),
  ),
}));
const item = fc.dictionary(name, value, { maxKeys: 8 });

/** The values of the SDK as its JSON carries them. */
const onTheWire = (attributes: unknown): unknown =>
  JSON.parse(
    JSON.stringify(attributes, (_, member: unknown) =>
      member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member,
    ),
  );

const reads = (stored: Readonly<Record<string, unknown>>) => fromAttributes(onTheWire(toAttributes(stored)));

describe('attribute values', () => {
  it('are written as the AWS SDK writes them', () => {
    fc.assert(
      fc.property(item, (stored) => {
        const bySdk = onTheWire(marshall(stored, { removeUndefinedValues: true }));

        expect(onTheWire(toAttributes(stored))).toEqual(bySdk);
      }),
    );
  });

  it('are read as the AWS SDK reads them', () => {
    fc.assert(
      fc.property(item, (stored) => {
        const bySdk = unmarshall(marshall(stored, { removeUndefinedValues: true }));

        expect(reads(stored)).toEqual(bySdk);
      }),
    );
  });

  it.each([
    { what: 'NaN', stored: Number.NaN },
    { what: 'an infinite number', stored: Number.POSITIVE_INFINITY },
    { what: 'a number that may have lost digits', stored: Number.MAX_SAFE_INTEGER + 1 },
    { what: 'an empty set', stored: new Set() },
    { what: 'a set of booleans', stored: new Set([true]) },
    { what: 'a Date', stored: new Date(0) },
    { what: 'a symbol', stored: Symbol('s') },
  ])('refuses $what, as the AWS SDK does', ({ stored }) => {
    expect(() => marshall({ stored }, { removeUndefinedValues: true })).toThrow(Error);
    expect(() => toAttributes({ stored })).toThrow(/^Cannot store /);
  });

  it('keeps a member that is named __proto__ and changes no prototype', () => {
    const stored = JSON.parse('{"__proto__":{"polluted":true}}');

    const read = reads(stored);

    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('writes the members of a Map, and leaves functions out', () => {
    const stored = { map: new Map([['one', 1]]), call: () => {} };

    expect(toAttributes(stored)).toEqual({ map: { M: { one: { N: '1' } } } });
  });

  it.each([
    { what: 'an unknown type', attributes: { a: { X: '1' } } },
    { what: 'a value without a type', attributes: { a: {} } },
    { what: 'text that is no text', attributes: { a: { S: 1 } } },
    { what: 'a number that is no text', attributes: { a: { N: 1 } } },
    { what: 'a list that is no array', attributes: { a: { L: {} } } },
    { what: 'a map that is an array', attributes: { a: { M: [] } } },
    { what: 'an item that is no object', attributes: 'text' },
  ])('refuses to read $what', ({ attributes }) => {
    expect(() => fromAttributes(attributes)).toThrow(/^Cannot read a value/);
  });
});
