import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { listDeliveriesQuery } from '#shared/contract/list-query.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { parseBody, parseQuery } from '#shared/runtime/validate.ts';

/** The members of the problem that a call throws. */
function faultsOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request', status: 400 });
    return error instanceof Object && 'members' in error ? error.members : undefined;
  }
  return 'accepted';
}

const bodyFaults = (schema: z.ZodMiniObject, body: unknown) => faultsOf(() => parseBody(schema, body));
const queryFaults = (query: Record<string, string[]>) => faultsOf(() => parseQuery(listDeliveriesQuery, query));

type Faults = readonly (readonly [pointer: string, detail: string])[];

describe('parseBody()', () => {
  it.each<[unknown, Faults]>([
    [undefined, [['', 'The body is missing and must be a JSON object']]],
    [null, [['', 'The body must be a JSON object']]],
    ['text', [['', 'The body must be a JSON object']]],
    [['x'], [['', 'The body must be a JSON object']]],
    [{}, [['/url', '`url` is missing and must be a string']]],
    [{ url: null }, [['/url', '`url` must be a string']]],
    [{ url: { secret: 'swordfish' } }, [['/url', '`url` must be a string']]],
    [{ url: '' }, [['/url', '`url` must not be empty']]],
    [
      { url: 'https://a.example', description: 'x'.repeat(501) },
      [['/description', '`description` must have at most 500 characters']],
    ],
    [
      { url: 5, description: null },
      [
        ['/url', '`url` must be a string'],
        ['/description', '`description` must be a string'],
      ],
    ],
  ])('points at every fault of %j, says what it is, and does not repeat the value', (body, faults) => {
    const errors = faults.map(([pointer, detail]) => ({ pointer, detail }));

    expect(() => parseBody(registerWebhookBody, body)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        detail: faults.map(([, detail]) => detail).join('; '),
        members: { errors },
      }),
    );
  });

  it('escapes the special characters of a JSON Pointer, and counts positions in lists', () => {
    const schema = z.object({ 'a/b': z.object({ 'c~d': z.array(z.number()), '~1': z.number() }) });

    expect(bodyFaults(schema, { 'a/b': { 'c~d': [1, 'x'], '~1': 'x' } })).toEqual({
      errors: [
        { pointer: '/a~1b/c~0d/1', detail: expect.any(String) },
        { pointer: '/a~1b/~01', detail: expect.any(String) },
      ],
    });
  });
});

describe('parseBody() with a strict schema', () => {
  const schema = z.pipe(
    z.strictObject({ status: z.optional(z.string()), rate: z.optional(z.number()) }),
    z.transform((body) => body),
  );
  const takes = 'this body takes `status`, `rate`';
  const refused = (body: unknown) => faultsOf(() => parseBody(schema, body));

  it.each([
    ['rate_per_second', '/rate_per_second', `Unknown member \`rate_per_second\` (did you mean \`rate\`?): ${takes}`],
    ['colour', '/colour', `Unknown member \`colour\`: ${takes}`],
    [`key_${'a'.repeat(49)}`, '', `Unknown member: ${takes}`],
  ])('refuses the member %s, and names the one that was probably meant', (name, pointer, detail) => {
    expect(refused({ [name]: 1 })).toEqual({ errors: [{ pointer, detail }] });
  });

  it('names unknown members beside other faults, and at most ten of them', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, 1]));

    expect(refused({ ...many, rate: 'fast' })).toMatchObject({ errors: { length: 11 } });
  });

  it('is not what the body of a registration has: it ignores them', () => {
    expect(parseBody(registerWebhookBody, { url: 'https://a.example', colour: 'blue' })).toEqual({
      url: 'https://a.example',
      description: '',
    });
  });
});

describe('parseQuery()', () => {
  const known =
    '`limit`, `cursor`, `status`, `event_type`, `response_status`, `event_id`, `run_id`, `created_after`, `created_before`';
  const limitFault = '`limit` must be a whole number from 1 to 100';

  it.each<[Record<string, string[]>, Faults]>([
    [
      { limit: ['101'], status: [''], cursor: [''] },
      [
        ['?limit', limitFault],
        ['?cursor', '`cursor` must not be empty'],
        ['?status', '`status` must be one of `pending`, `delivered`, `failed`, `retrying`'],
      ],
    ],
    ...['limit', 'cursor', 'status', 'event_type'].map((name): [Record<string, string[]>, Faults] => [
      { [name]: ['5', '5'] },
      [[`?${name}`, `\`${name}\` must be given once`]],
    ]),
    [
      { status: ['', ''], limit: ['0'] },
      [
        ['?status', '`status` must be given once'],
        ['?limit', limitFault],
      ],
    ],
    ...['page', '__proto__', 'constructor', 'toString'].map((name): [Record<string, string[]>, Faults] => [
      Object.fromEntries([[name, ['1', '2']]]),
      [[`?${name}`, `Unknown query parameter \`${name}\`: this operation takes ${known}`]],
    ]),
    [
      { page: ['1'], limit: ['0'] },
      [
        ['?page', `Unknown query parameter \`page\`: this operation takes ${known}`],
        ['?limit', limitFault],
      ],
    ],
  ])('names each wrong parameter of %j once', (query, faults) => {
    expect(queryFaults(query)).toEqual({ errors: faults.map(([pointer, detail]) => ({ pointer, detail })) });
  });

  it.each([
    ['limt', 'limit'],
    ['Limit', 'limit'],
    ['next_cursor', 'cursor'],
    ['eventtype', 'event_type'],
  ])('names the parameter that %s was probably meant to be', (name, meant) => {
    expect(queryFaults({ [name]: ['1'] })).toMatchObject({
      errors: [{ pointer: `?${name}`, detail: expect.stringContaining(`(did you mean \`${meant}\`?)`) }],
    });
  });

  it('says that an operation takes no parameters', () => {
    expect(faultsOf(() => parseQuery(z.object({}), { status: ['failed'] }))).toEqual({
      errors: [{ pointer: '?status', detail: 'Unknown query parameter `status`: this operation takes none' }],
    });
  });

  it.each([`key_${'a'.repeat(49)}`, `whsec_${'b'.repeat(44)}`, 'a.b\n', 'ü'])(
    'does not repeat the unknown name %j, which may be a credential or not printable',
    (name) => {
      expect(queryFaults({ [name]: ['1'] })).toEqual({
        errors: [{ pointer: '?', detail: expect.stringMatching(/^Unknown query parameter: this operation/) }],
      });
    },
  );

  it('lists at most ten of many unknown parameters', () => {
    const query = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, ['1']]));

    expect(queryFaults(query)).toMatchObject({ errors: { length: 10 } });
  });
});
