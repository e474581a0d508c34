import { AwsError } from '../aws-api.ts';

/** An attribute as DynamoDB's protocol writes it: one member, named after the type, of the types that this project uses. */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly SS: readonly string[] }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Item };

export type Item = Readonly<Record<string, AttributeValue>>;

/** Maps and lists may be this deep. */
const maxDepth = 32;

const maxDigits = 38;

export const validationError = (message: string) => new AwsError('ValidationException', message);

/** What DynamoDB answers before it reads a request: a client of the SDK never sends what causes it. */
const wrongJson = (expected: string) =>
  new AwsError('SerializationException', `Unexpected value type in payload: expected ${expected}`);

/** @returns `S`, `N` or another name of a type */
export function typeOf(value: AttributeValue): string {
  for (const type in value) return type;
  return '';
}

/** Reads the members of an item or of a map. @throws AwsError for a value that DynamoDB does not store */
export function readItem(given: unknown, depth = 0): Item {
  const item: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(asObject(given))) item[name] = readValue(value, depth);
  return item;
}

/** Reads an attribute, with numbers in their canonical form. @throws AwsError */
function readValue(given: unknown, depth = 0): AttributeValue {
  const [[type, content] = ['', null], ...others] = Object.entries(asObject(given));
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined || others.length > 0)
    throw validationError(
      `Supplied AttributeValue must contain exactly one of the supported datatypes, here ${Object.keys(readers).join(', ')}`,
    );
  if (depth > maxDepth) throw validationError('Nesting Levels have exceeded supported limits');
  return read(content, depth);
}

type Read = (content: unknown, depth: number) => AttributeValue;

const readers: Readonly<Record<string, Read>> = {
  S: (content) => ({ S: asText(content) }),
  N: (content) => ({ N: canonicalNumber(asText(content)) }),
  BOOL: (content) => ({ BOOL: asBoolean(content) }),
  NULL: (content) => ({ NULL: asNull(content) }),
  SS: (content) => ({ SS: asSet(content) }),
  L: (content, depth) => ({ L: asList(content).map((member) => readValue(member, depth + 1)) }),
  M: (content, depth) => ({ M: readItem(content, depth + 1) }),
};

function asObject(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw wrongJson('an object');
}

function asText(given: unknown): string {
  if (typeof given === 'string') return given;
  throw wrongJson('a string');
}

function asBoolean(given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  throw wrongJson('a boolean');
}

function asNull(given: unknown): true {
  if (asBoolean(given)) return true;
  throw validationError(
    'One or more parameter values were invalid: Null attribute value types must have the value of true',
  );
}

function asList(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given;
  throw wrongJson('a list');
}

function asSet(given: unknown): readonly string[] {
  const members = asList(given).map(asText);
  if (members.length === 0) throw validationError('One or more parameter values were invalid: An set may not be empty');
  if (new Set(members).size < members.length)
    throw validationError('One or more parameter values were invalid: Input collection contains duplicates.');
  return members;
}

const plainNumber = /^(?:0|-?[1-9]\d{0,37})$/;
const anyNumber = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/** A number as DynamoDB returns it: without an exponent, a sign of plus and zeros that mean nothing. */
function canonicalNumber(text: string): string {
  if (plainNumber.test(text)) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = anyNumber.exec(text) ?? [];
  if (whole + fraction === '') throw validationError(`The parameter cannot be converted to a numeric value: ${text}`);
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  // The number is 0.significant × 10^point.
  const point = digits.length - fraction.length + Number(exponent);
  if (significant.length > maxDigits)
    throw validationError('Attempting to store more than 38 significant digits in a Number');
  if (point > 126 || point < -129)
    throw validationError(
      `Number ${point > 0 ? 'overflow' : 'underflow'}. Attempting to store a number with magnitude ${point > 0 ? 'larger' : 'smaller'} than supported range`,
    );
  const minus = sign === '-' ? '-' : '';
  if (point <= 0) return `${minus}0.${'0'.repeat(-point)}${significant}`;
  if (point >= significant.length) return minus + significant.padEnd(point, '0');
  return `${minus}${significant.slice(0, point)}.${significant.slice(point)}`;
}

/** Some attributes of an item, as far as it has them. */
export function pick(item: Item, names: readonly string[]): Item {
  const picked: Record<string, AttributeValue> = {};
  for (const name of names) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** A text that JavaScript sorts as DynamoDB sorts the given one, by the bytes of its UTF-8. */
export function inByteOrder(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}

/** @returns a negative number, zero or a positive number; `undefined` for types that have no order, or that differ */
export function compareValues(one: AttributeValue, other: AttributeValue): number | undefined {
  if ('N' in one && 'N' in other) return compareNumbers(one.N, other.N);
  if ('S' in one && 'S' in other) return compareTexts(inByteOrder(one.S), inByteOrder(other.S));
  return undefined;
}

export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Exact beyond the precision of JavaScript's numbers. */
function compareNumbers(one: string, other: string): number {
  const roughly = Number(one) - Number(other);
  if (roughly !== 0 || one === other) return roughly;
  const places = Math.max(fractionOf(one).length, fractionOf(other).length);
  const scaled = (text: string) => BigInt(text.replace(/\..*/, '') + fractionOf(text).padEnd(places, '0'));
  return scaled(one) < scaled(other) ? -1 : 1;
}

const fractionOf = (text: string): string => text.split('.')[1] ?? '';

export function areEqual(one: AttributeValue, other: AttributeValue): boolean {
  if ('S' in one) return 'S' in other && one.S === other.S;
  if ('N' in one) return 'N' in other && one.N === other.N;
  if ('L' in one && 'L' in other)
    return one.L.length === other.L.length && one.L.every((member, index) => isSame(member, other.L[index]));
  if ('M' in one && 'M' in other) {
    const names = Object.keys(one.M);
    return names.length === Object.keys(other.M).length && names.every((name) => isSame(one.M[name], other.M[name]));
  }
  if ('SS' in one && 'SS' in other) return one.SS.toSorted().join('\0') === other.SS.toSorted().join('\0');
  return JSON.stringify(one) === JSON.stringify(other);
}

function isSame(one: AttributeValue | undefined, other: AttributeValue | undefined): boolean {
  return one !== undefined && other !== undefined && areEqual(one, other);
}
