import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/**
 * What DynamoDB answers to requests, as its documentation says. Where Dynoxide answers otherwise, `dynoxide` says how.
 */
const differs = { dynoxide: z.string().optional() };
const attributes = z.record(z.string(), z.unknown());
const placeholders = {
  values: attributes.optional(),
  names: z.record(z.string(), z.string()).optional(),
};
const groupsOf = <T extends z.ZodType>(cases: T) =>
  z.array(z.strictObject({ name: z.string(), cases: z.array(cases) }));

const condition = z.strictObject({
  condition: z.string(),
  ...placeholders,
  met: z.union([z.boolean(), z.literal('refused')]),
  ...differs,
});

const update = z.strictObject({
  /** The attributes of the item beside its key; absent: there is no item. */
  before: attributes.optional(),
  update: z.string(),
  ...placeholders,
  after: z.union([attributes, z.literal('refused')]),
  ...differs,
});

const step = z.strictObject({
  action: z.string(),
  input: attributes,
  answer: attributes.optional(),
  error: z.looseObject({ type: z.string(), message: z.string().optional() }).optional(),
});

const request = z.strictObject({
  name: z.string(),
  /** What the table has before. */
  items: z.array(attributes).default([]),
  steps: z.array(step),
  ...differs,
});

export type ConditionVector = z.output<typeof condition>;
export type UpdateVector = z.output<typeof update>;
export type RequestVector = z.output<typeof request>;

const folder = join(import.meta.dirname, '../../vectors/dynamodb');
const read = <T extends z.ZodType>(file: string, schema: T): z.output<T> =>
  schema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'), withRepeated));

const repeated = z.strictObject({ repeat: z.unknown(), times: z.number() });

/** `{ "repeat": "x", "times": 3 }` stands for a text, and with an object for a list with numbers in place of `#`. */
function withRepeated(_name: string, value: unknown): unknown {
  const { data } = repeated.safeParse(value);
  if (data === undefined) return value;
  const { repeat, times } = data;
  if (typeof repeat === 'string') return repeat.repeat(times);
  const text = JSON.stringify(repeat);
  return Array.from({ length: times }, (_, number) => JSON.parse(text.replaceAll('#', String(number))));
}

/** Conditions on `item`. */
export const conditions = read(
  'conditions.json',
  z.strictObject({ note: z.string(), item: attributes, groups: groupsOf(condition) }),
);
export const updates = read('updates.json', z.strictObject({ note: z.string(), groups: groupsOf(update) }));
export const requests = read('requests.json', z.strictObject({ note: z.string(), groups: groupsOf(request) }));
