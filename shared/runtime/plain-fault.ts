import type * as z from 'zod/mini';

type RawIssue<I extends z.core.$ZodIssueBase> = z.core.$ZodRawIssue<I>;

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a JSON array',
  object: 'a JSON object',
  record: 'a JSON object',
};

/** Names that cannot be a key, a secret or a token: all of these are longer. */
export const isRepeatable = (name: string): boolean => /^[\w.[\]-]{1,32}$/.test(name);

/** The path to a value, with `…` in place of the names that are not repeatable. */
export const repeatablePath = (path: readonly PropertyKey[]): string =>
  path.map((part) => (isRepeatable(String(part)) ? String(part) : '…')).join('.');

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/**
 * Describes a fault in words that follow the name of the value: "must be a string". The validator calls this function
 * for each fault without a text in the schema, so that the validator's own messages never reach a caller.
 */
export function plainFault(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${missing(issue.input)}must be ${kindOf(issue)}`;
    case 'invalid_value':
      return oneOf(issue.input, issue.values);
    case 'invalid_union':
      return unionText(issue);
    case 'too_small':
      return sizeText('least', issue.minimum, issue.origin);
    case 'too_big':
      return sizeText('most', issue.maximum, issue.origin);
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not valid';
    default:
      return 'is not valid';
  }
}

/** Each fault of a message as `path: fault`. It repeats no value, and no name that could be one. */
export function messageFaults({ issues }: z.core.$ZodError): readonly string[] {
  return issues.map(({ path, message }) => `${repeatablePath(path) || 'message'}: ${message}`);
}

const missing = (input: unknown): string => (input === undefined ? 'is missing and ' : '');

/** `JSON.parse` reads a number out of range as infinity, which is a number of the wrong type. */
function kindOf({ input, expected }: RawIssue<z.core.$ZodIssueInvalidType>): string {
  const isInfinite = expected === 'number' && typeof input === 'number';
  return isInfinite ? 'a number within the range of a double' : (kinds[expected] ?? 'of another type');
}

/** A union without a fitting discriminator, such as the `type` of a message. */
function unionText({ input, discriminator, options }: RawIssue<z.core.$ZodIssueInvalidUnion>): string {
  return Array.isArray(options) ? oneOf(Reflect.get(Object(input), String(discriminator)), options) : 'is not valid';
}

function oneOf(input: unknown, values: readonly unknown[]): string {
  const names = values.map((value) => `\`${String(value)}\``);
  return `${missing(input)}must be ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}`;
}

function sizeText(bound: 'least' | 'most', limit: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `must be at ${bound} ${limit}`;
  return bound === 'least' && limit === 1 ? 'must not be empty' : `must have at ${bound} ${limit}${unit}`;
}
