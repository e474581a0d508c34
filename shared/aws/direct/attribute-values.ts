/**
 * Values as DynamoDB's JSON carries them. Both directions give what `@aws-sdk/util-dynamodb` gives with
 * `removeUndefinedValues`, in the form of the wire: binary values are base64 text.
 */

/** A value in DynamoDB's JSON: one member, named after its type. */
type AttributeValue = Readonly<Record<string, unknown>>;
type AttributeMap = Readonly<Record<string, AttributeValue>>;

/** @throws Error for a value that DynamoDB cannot store, and for a number that loses digits as a JavaScript number */
export function toAttributes(item: Readonly<Record<string, unknown>>): AttributeMap {
  const attributes: [string, AttributeValue][] = [];
  for (const [name, value] of Object.entries(item)) {
    if (isStored(value)) attributes.push([name, toAttribute(value)]);
  }
  return Object.fromEntries(attributes);
}

/** @throws Error for a value of an unknown type */
export function fromAttributes(attributes: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members(attributes)).map(([name, value]) => [name, fromAttribute(value)]),
  );
}

const isStored = (value: unknown): boolean => value !== undefined && typeof value !== 'function';

function toAttribute(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      return { N: numberText(value) };
    case 'boolean':
      return { BOOL: value };
    case 'bigint':
      return { N: String(value) };
    default:
      return typeof value === 'object' ? toContainer(value) : refuse(value);
  }
}

function toContainer(value: object | null): AttributeValue {
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter(isStored).map(toAttribute) };
  if (value instanceof Set) return toSet([...value].filter((member) => member !== undefined));
  if (value instanceof Map) return { M: toAttributes(Object.fromEntries(value)) };
  if (value instanceof Uint8Array) return { B: base64(value) };
  if (isPlain(value)) return { M: toAttributes({ ...value }) };
  return refuse(value);
}

/** The first member decides the type of a set; DynamoDB refuses a set with members of two types. */
function toSet(values: readonly unknown[]): AttributeValue {
  const [first] = values;
  if (first === undefined) throw new Error('Cannot store an empty set: leave the attribute out');
  if (typeof first === 'string') return { SS: values };
  if (typeof first === 'number' || typeof first === 'bigint') {
    return { NS: values.map((value) => toAttribute(value).N) };
  }
  if (first instanceof Uint8Array) return { BS: values.map((value) => toAttribute(value).B) };
  return refuse(first);
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`Cannot store the number ${value}: it must be finite`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new Error(`Cannot store the number ${value}: it may have lost digits, so pass a bigint`);
  }
  return String(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(value: unknown): never {
  const type = typeof value === 'object' ? value?.constructor.name : typeof value;
  throw new Error(`Cannot store a value of type ${type}: DynamoDB has no such type`);
}

function fromAttribute(attribute: unknown): unknown {
  const [[type, value] = []] = Object.entries(members(attribute));
  switch (type) {
    case 'S':
      return text(value);
    case 'N':
      return toNumber(value);
    case 'BOOL':
      return value === true;
    case 'NULL':
      return null;
    case 'M':
      return fromAttributes(value);
    case 'L':
      return list(value).map(fromAttribute);
    case 'B':
      return bytes(value);
    case 'SS':
      return new Set(list(value).map(text));
    case 'NS':
      return new Set(list(value).map(toNumber));
    case 'BS':
      return new Set(list(value).map(bytes));
    default:
      throw new Error(`Cannot read a value of the type "${type}": DynamoDB has no such type`);
  }
}

/** A bigint when a JavaScript number would lose digits. */
function toNumber(value: unknown): number | bigint {
  const digits = text(value);
  const number = Number(digits);
  return Math.abs(number) > Number.MAX_SAFE_INTEGER ? BigInt(digits) : number;
}

function members(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('Cannot read a value: it must be a JSON object');
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error('Cannot read a value: it must be a JSON array');
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error('Cannot read a value: it must be text');
}

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');
const bytes = (value: unknown): Uint8Array => Uint8Array.from(Buffer.from(text(value), 'base64'));
