import { describe, expect, it } from 'vitest';
import * as z from 'zod';
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

const bodyFaults = (schema: z.ZodObject, body: unknown) => faultsOf(() => parseBody(schema, body));
const queryFaults = (query: Record<string, string[]>) =>
  faultsOf(() => parseQuery(listDeliveriesQuery, query));

describe('parseBody()', () => {
  it('gives the parsed body', () => {
    expect(parseBody(registerWebhookBody, { url: 'https://a.example', extra: 1 })).toEqual({
      url: 'https://a.example',
      description: '',
    });
  });

  it('points at every fault', () => {
    expect(bodyFaults(registerWebhookBody, { url: 5, description: null })).toEqual({
      errors: [
        { pointer: '/url', detail: expect.any(String) },
        { pointer: '/description', detail: expect.any(String) },
      ],
    });
  });

  it.each([undefined, null, 'text', []])('points at the whole body when it is %j', (body) => {
    expect(bodyFaults(registerWebhookBody, body)).toEqual({
      errors: [{ pointer: '', detail: expect.any(String) }],
    });
  });

  it.each([
    [undefined, 'The body is missing and must be a JSON object'],
    [null, 'The body must be a JSON object'],
    [['x'], 'The body must be a JSON object'],
    [{}, '`url` is missing and must be a string'],
    [{ url: null }, '`url` must be a string'],
    [{ url: '' }, '`url` must not be empty'],
    [
      { url: 'https://a.example', description: 'x'.repeat(501) },
      '`description` must have at most 500 characters',
    ],
    [{ url: 5, description: null }, '`url` must be a string; `description` must be a string'],
  ])('says what is wrong with %j in one sentence', (body, detail) => {
    expect(() => parseBody(registerWebhookBody, body)).toThrow(expect.objectContaining({ detail }));
  });

  it('gives the wrong type as the only fault of a value', () => {
    expect(bodyFaults(registerWebhookBody, { url: [] })).toEqual({
      errors: [{ pointer: '/url', detail: '`url` must be a string' }],
    });
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

  it('does not repeat what it refuses', () => {
    expect(JSON.stringify(bodyFaults(registerWebhookBody, { url: { secret: 'swordfish' } }))).not.toContain(
      'swordfish',
    );
  });
});

describe('parseQuery()', () => {
  it('gives the parsed query', () => {
    expect(parseQuery(listDeliveriesQuery, { limit: ['5'], status: ['failed'] })).toEqual({
      limit: 5,
      status: 'failed',
    });
    expect(parseQuery(listDeliveriesQuery, {})).toEqual({ limit: 25 });
  });

  it('names the parameter of a fault', () => {
    expect(queryFaults({ limit: ['101'], status: [''], cursor: [''] })).toEqual({
      errors: [
        { pointer: '?limit', detail: '`limit` must be a whole number from 1 to 100' },
        { pointer: '?cursor', detail: '`cursor` must not be empty' },
        { pointer: '?status', detail: '`status` must be one of `pending`, `delivered`, `failed`' },
      ],
    });
  });

  it.each(['limit', 'cursor', 'status', 'event_type'])('refuses a repeated %s', (name) => {
    const values = { limit: '5', cursor: 'c', status: 'failed', event_type: 'run.completed' };
    const value = Object.entries(values).find(([known]) => known === name)?.[1] ?? '';

    expect(queryFaults({ [name]: [value, value] })).toEqual({
      errors: [{ pointer: `?${name}`, detail: `\`${name}\` must be given once` }],
    });
  });

  it('refuses a repeated parameter whose first value would do', () => {
    expect(queryFaults({ limit: ['5', '1000'] })).toMatchObject({ errors: [{ pointer: '?limit' }] });
  });

  it.each(['page', '__proto__', 'constructor', 'toString'])(
    'refuses %s, which it does not know, once also when it is repeated',
    (name) => {
      const query = Object.fromEntries([[name, ['1', '2']]]);

      expect(queryFaults(query)).toEqual({
        errors: [
          {
            pointer: `?${name}`,
            detail:
              `Unknown query parameter \`${name}\`: this operation takes \`limit\`, \`cursor\`, \`status\`, ` +
              '`event_type`, `event_id`, `run_id`, `created_after`, `created_before`',
          },
        ],
      });
    },
  );

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

  it('names an unknown parameter beside other faults', () => {
    expect(queryFaults({ page: ['1', '2'], limit: ['0'] })).toMatchObject({
      errors: [{ pointer: '?page' }, { pointer: '?limit' }],
    });
  });

  it('names a repeated parameter and other faults together, each once', () => {
    expect(queryFaults({ status: ['', ''], limit: ['0'] })).toEqual({
      errors: [
        { pointer: '?status', detail: '`status` must be given once' },
        { pointer: '?limit', detail: expect.any(String) },
      ],
    });
  });
});
