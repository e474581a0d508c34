import type * as z from 'zod/mini';

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a JSON array',
  object: 'a JSON object',
  record: 'a JSON object',
};

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/**
 * Describes a fault in words that follow the name of the value: "must be a string". The validator calls this function
 * for each fault without a text in the schema, so that the validator's own messages never reach a caller.
 */
export function plainFault(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'is missing and ' : ''}must be ${kinds[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be ${oneOf(issue.options)}` : 'is not valid';
    case 'too_small':
      return sizeText('least', issue.minimum, issue.origin);
    case 'too_big':
      return sizeText('most', issue.maximum, issue.origin);
    default:
      return 'is not valid';
  }
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => `\`${String(value)}\``);
  return (names.length > 1 ? 'one of ' : '') + names.join(', ');
}

function sizeText(bound: 'least' | 'most', limit: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `must be at ${bound} ${limit}`;
  return bound === 'least' && limit === 1 ? 'must not be empty' : `must have at ${bound} ${limit}${unit}`;
}
