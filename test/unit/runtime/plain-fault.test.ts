import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ZodMiniObject } from 'zod/mini';
import { plainFault } from '#shared/runtime/plain-fault.ts';
import { parseBody, parseQuery } from '#shared/runtime/validate.ts';
import { operationDetails } from '../../../site/openapi/operations.ts';

/** Replaces every text of the validator. */
const ownWords = 'words of the validator';
beforeAll(() => z.config({ localeError: () => ownWords }));
afterAll(() => z.config(z.locales.en()));

const hostileValues: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  '0',
  '101',
  '1e1',
  'x',
  'x'.repeat(5_000),
  '\u0000',
  '\ud800',
  [],
  ['x'],
  {},
  { toString: 1 },
];
const texts = hostileValues.filter((value) => typeof value === 'string');

/** The faults of a refused request; none when it is accepted. */
function faultsOf(run: () => unknown): readonly { readonly detail: unknown }[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof Object) || !('members' in error && 'detail' in error)) throw error;
    const { errors } = z
      .object({ errors: z.array(z.object({ pointer: z.string(), detail: z.string() })) })
      .parse(error.members);
    return [{ detail: error.detail }, ...errors];
  }
}

const inputs = Object.entries(operationDetails).flatMap(([operation, { body, query }]) => [
  ...(body instanceof ZodMiniObject ? [{ input: `the body of ${operation}`, faults: bodyFaults(body) }] : []),
  ...(query === undefined ? [] : [{ input: `the query of ${operation}`, faults: queryFaults(query) }]),
]);

function bodyFaults(schema: ZodMiniObject) {
  return () => {
    const members = Object.keys(schema.shape).flatMap((name) => hostileValues.map((value) => ({ [name]: value })));
    return [...hostileValues, ...members].flatMap((body) => faultsOf(() => parseBody(schema, body)));
  };
}

function queryFaults(schema: ZodMiniObject) {
  return () =>
    Object.keys(schema.shape).flatMap((name) =>
      [...texts.map((text) => [text]), ['x', 'x']].flatMap((values) =>
        faultsOf(() => parseQuery(schema, { [name]: values })),
      ),
    );
}

describe('plainFault()', () => {
  it.each(inputs)('keeps the words of the validator out of every fault of $input', ({ faults }) => {
    const found = faults();

    expect(found.length).toBeGreaterThan(3);
    for (const { detail } of found) {
      expect(detail).not.toContain(ownWords);
      expect(detail).toMatch(/^((The body|`[a-z_.0-9]+`) (is|must|has)|Unknown member `\w+`: this body takes) .*[^.]$/);
    }
  });

  it('knows every operation that takes a body or a query', () => {
    const taking = Object.values(operationDetails).flatMap(({ body, query }) => [body, query].filter(Boolean));

    expect(inputs).toHaveLength(taking.length);
  });

  it.each([
    [z.int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'x', 'must be true or false'],
    [z.number(), Infinity, 'must be a number within the range of a double'],
    [z.literal('videos'), undefined, 'is missing and must be `videos`'],
    [z.date(), 'x', 'must be of another type'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 items'],
    [z.string().min(3), 'ab', 'must have at least 3 characters'],
    [z.literal('videos'), 'x', 'must be `videos`'],
    [z.discriminatedUnion('type', [z.object({ type: z.literal('a') })]), { type: 'x' }, 'must be `a`'],
    [z.union([z.string(), z.number()]), null, 'is not valid'],
    [z.email(), 'x', 'is not valid'],
    [z.strictObject({}), { a: 1 }, 'is not valid'],
  ])('says what another schema wants: %#', (schema, value, text) => {
    const { error } = schema.safeParse(value, { error: plainFault });

    expect(error?.issues[0]?.message).toBe(text);
  });
});
