import { describe, expect, it } from 'vitest';
import { readOpenApi, type Schema, schemaBook } from '../../../../site/reference/open-api.ts';
import { curlCommand } from '../../../../site/reference/operation-html.ts';
import { constraintsHtml, typeHtml } from '../../../../site/reference/schema-html.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const link = (name: string) => `<a href="#schema-${name}">${name}</a>`;

describe('typeHtml()', () => {
  it.each<[Schema, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'string', format: 'date-time' }, 'timestamp'],
    [{ type: ['string', 'null'], format: 'uri' }, 'URL or null'],
    [{ type: 'array', items: ref('Delivery') }, `array of ${link('Delivery')}`],
    [{ anyOf: [ref('Run'), { type: 'null' }] }, `${link('Run')} or null`],
    [{ oneOf: [{ type: 'integer' }, { type: 'integer' }] }, 'integer'],
    [{ const: 'run.completed' }, 'string'],
    [{}, 'any'],
  ])('%j is %s', (schema, text) => {
    expect(typeHtml(schema)).toBe(text);
  });
});

describe('constraintsHtml()', () => {
  it.each<[Schema, string]>([
    [{ enum: ['a', '<b>'] }, 'One of <code>a</code>, <code>&lt;b&gt;</code>'],
    [{ minimum: 1, maximum: 100, default: 25 }, 'Default <code>25</code> · 1 to 100'],
    [{ minLength: 1, maxLength: 500 }, 'At most 500 characters'],
    [{ pattern: '^whe_' }, 'Starts with <code>whe_</code>'],
    [{ pattern: '^https://' }, 'Starts with <code>https://</code>'],
    [{ const: null }, 'Always <code>null</code>'],
  ])('%j is %s', (schema, text) => {
    expect(constraintsHtml(schema)).toBe(`<p class="constraints">${text}</p>`);
  });

  it.each<Schema>([{}, { pattern: '^[A-Z]+$' }, { minLength: 1 }])('%j says nothing', (schema) => {
    expect(constraintsHtml(schema)).toBe('');
  });
});

const operation = {
  operationId: 'a',
  tags: [],
  summary: 'A',
  parameters: [],
  requestBody: { content: {} },
  responses: {},
};

describe('curlCommand()', () => {
  it('fills in the examples of path parameters, and leaves out the method of a GET', () => {
    const parameters = [{ name: 'id', in: 'path' as const, required: true, schema: {}, example: 'whe_1' }];

    expect(curlCommand('GET', '/v1/webhooks/{id}/{other}', { ...operation, parameters })).toBe(
      'curl https://api.example.com/v1/webhooks/whe_1/{other} \\\n  -H "Authorization: Bearer $API_KEY"',
    );
  });

  it('sends the example of the body in quotes of the shell, and no credential to a public path', () => {
    const requestBody = { content: { 'application/json': { example: { text: "it's" }, examples: {} } } };

    expect(curlCommand('POST', '/a', { ...operation, security: [], requestBody })).toBe(
      "curl -X POST https://api.example.com/a \\\n  -H 'Content-Type: application/json' \\\n" +
        "  -d '{\n    \"text\": \"it'\\''s\"\n  }'",
    );
  });
});

describe('readOpenApi()', () => {
  const document = (schemas: object, responses: object = {}) => ({
    info: { summary: 'A', description: 'A' },
    tags: [],
    webhooks: {},
    paths: { '/a': { get: { ...operation, responses: { 200: { $ref: '#/components/responses/Ok' } } } } },
    components: { schemas, responses: { Ok: { description: 'Fine.', content: responses } } },
  });

  it('names a reference that leads nowhere', () => {
    const broken = { ...document({}), components: {} };

    expect(() => readOpenApi(broken)).toThrow('it has no "#/components/responses/Ok"');
  });

  it('describes a schema where it is used when only one place uses it', () => {
    const book = schemaBook(
      readOpenApi(
        document(
          {
            Once: { type: 'string' },
            Twice: { type: 'string' },
            Pair: { properties: { a: ref('Twice'), b: ref('Twice') } },
          },
          { 'application/json': { schema: { properties: { once: ref('Once') } } } },
        ),
      ),
    );

    expect([...book.inline]).toEqual(['Once']);
  });
});
