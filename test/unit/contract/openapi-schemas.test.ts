import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { limits } from '#shared/contract/limits.ts';
import { listDeliveriesQuery } from '#shared/contract/list-query.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { isHandle } from '#shared/domain/creator.ts';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { eventTypes } from '#shared/domain/event.ts';
import { type IdKind, isEngineId, isOwnId, makeId } from '#shared/domain/ids.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { nameOf, objectSchemas } from '../../../site/openapi/component-schemas.ts';
import { openApiDocument } from '../../../site/openapi/document.ts';

const schemaObject = z.looseObject({
  description: z.string().optional(),
  type: z.unknown().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  enum: z.array(z.string()).optional(),
  $ref: z.string().optional(),
});
type Schema = z.infer<typeof schemaObject>;
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: schemaObject })).default([]),
});
const component = schemaObject.extend({ properties: z.record(z.string(), schemaObject).default({}) });
const document = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    webhooks: z.record(z.string(), z.object({ post: operation })),
    tags: z.array(z.object({ name: z.string(), description: z.string() })),
    components: z.object({ schemas: z.record(z.string(), component) }),
  })
  .parse(openApiDocument());

const { schemas } = document.components;
const operations = [
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((each) => ({ ...each, path })),
  ),
  ...Object.values(document.webhooks).map(({ post }) => ({ ...post, path: '' })),
];
const properties = Object.entries(schemas).flatMap(([name, each]) =>
  Object.entries(each.properties).map(([property, schema]) => ({ name, property, schema })),
);

/** Every value in the document that has a member of that name, with its place. */
function findMembers(value: unknown, member: string, place = '#'): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [
    ...(name === member && !place.endsWith('/properties') ? [[place, each] as const] : []),
    ...findMembers(each, member, `${place}/${name}`),
  ]);
}

function propertyOf(name: string, property: string): Schema {
  const schema = schemas[name]?.properties[property];
  if (schema === undefined) throw new Error(`Cannot find ${property} of ${name}`);
  return schema;
}

function parametersNamed(name: string): readonly Schema[] {
  const found = operations.flatMap((each) => each.parameters).filter((each) => each.name === name);
  expect(found).not.toEqual([]);
  return found.map(({ schema }) => schema);
}

function kindOf(path: string): IdKind {
  if (path.startsWith('/v1/webhooks')) return 'webhook';
  return path.startsWith('/v1/runs') ? 'run' : 'tracker';
}

/** Whether the text keeps the limits of the schema. */
function fits({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema, text: string): boolean {
  const { length } = [...text];
  const isMatch = pattern === undefined || new RegExp(pattern, 'u').test(text);
  return isMatch && length >= minLength && length <= maxLength;
}

describe('the texts of docs/openapi.json', () => {
  it('every property, schema and tag has a description: add it beside its schema in docs/openapi/schemas', () => {
    const bare = properties.filter(({ schema }) => !schema.description);

    expect(bare.map(({ name, property }) => `${name}.${property}`)).toEqual([]);
    expect(Object.keys(schemas).filter((name) => !schemas[name]?.description)).toEqual([]);
    expect(document.tags.filter(({ name, description }) => name === description)).toEqual([]);
  });

  it('every operation has a description of more than its summary, and a tag that is described', () => {
    const tags = document.tags.map(({ name }) => name);

    for (const { operationId, summary, description, tags: own } of operations) {
      expect(description.length, operationId).toBeGreaterThan(summary.length);
      expect(tags, operationId).toEqual(expect.arrayContaining(own));
    }
  });
});

describe('the names of docs/openapi.json', () => {
  it.each([
    ['enum', 'so that a client has one type for it'],
    ['properties', 'so that a client has a name for the object'],
  ])('every schema with `%s` is a component, %s', (member) => {
    const places = findMembers(openApiDocument(), member).map(([place]) => place);

    expect(places.filter((place) => !/^#\/components\/schemas\/\w+$/.test(place))).toEqual([]);
  });

  it('no two enums have the same values, and no two components the same properties', () => {
    const values = findMembers(openApiDocument(), 'enum').map(([, each]) => JSON.stringify(each));
    const shapes = Object.values(objectSchemas).map(({ schema }) => schema);

    expect(new Set(values).size).toBe(values.length);
    expect(new Set(shapes).size).toBe(shapes.length);
    expect(shapes.map((schema) => nameOf(schema))).toEqual(Object.keys(objectSchemas));
  });

  it('Event is the union of all events, told apart by `type`', () => {
    const names = Object.keys(schemas).filter((name) => /.Event$/.test(name));
    const refs = Object.fromEntries(
      names.map((name) => [String(propertyOf(name, 'type').const), `#/components/schemas/${name}`]),
    );

    expect(Object.keys(refs).toSorted()).toEqual(eventTypes.toSorted());
    expect(schemas.Event).toMatchObject({
      oneOf: eventTypes.map((type) => ({ $ref: refs[type] })),
      discriminator: { propertyName: 'type', mapping: refs },
    });
  });
});

describe('the formats of docs/openapi.json', () => {
  it('exactly the times are date-times', () => {
    const times = properties.filter(({ property }) => /(^|_)(at|after|before|since)$/.test(property));

    expect(properties.filter(({ schema }) => schema.format === 'date-time')).toEqual(times);
    expect(times.length).toBeGreaterThan(20);
  });

  it('the URLs that the service makes or checks are URIs', () => {
    const uris = properties.filter(({ schema }) => schema.format === 'uri');
    const links = properties.filter(({ name, schema }) => name.endsWith('Links') && schema.type === 'string');
    const others = uris.filter(({ name }) => !name.endsWith('Links'));

    expect(uris).toEqual(expect.arrayContaining(links));
    expect(others.map(({ name, property }) => `${name}.${property}`)).toEqual([
      'Problem.type',
      'RegisterWebhookRequest.url',
      'Webhook.url',
    ]);
  });
});

describe('the limits of inputs in docs/openapi.json', () => {
  it('`limit` has the bounds that the query accepts', () => {
    for (const { minimum = 0, maximum = 0, ...rest } of parametersNamed('limit')) {
      const accepted = [minimum - 1, minimum, maximum, maximum + 1].map(
        (limit) => listDeliveriesQuery.safeParse({ limit: String(limit) }).success,
      );

      expect(accepted).toEqual([false, true, true, false]);
      expect(listDeliveriesQuery.parse({}).limit).toBe(rest.default);
    }
  });

  it('`cursor` fits the cursors that the service makes, up to those of the longest positions', async () => {
    const cursors = createCursors({
      readSecret: async () => new Uint8Array(32),
      randomBytes: (size) => new Uint8Array(size).fill(255),
    });
    // A video is found by its time, its platform and its id of at most 256 bytes.
    const longest = `${'9'.repeat(24)}#${'p'.repeat(32)}#${'v'.repeat(256)}`;
    const sealed = await Promise.all(['x', longest].map((position) => cursors.seal(['list'], position)));

    for (const schema of parametersNamed('cursor')) {
      expect(sealed.map((cursor) => fits(schema, cursor))).toEqual([true, true]);
      expect(schema.maxLength).toBe(limits.cursorLength);
    }
  });

  it('the URL of a registration has the length and the scheme that the service accepts', () => {
    const schema = propertyOf('RegisterWebhookRequest', 'url');
    const urlOf = (length: number) => 'https://hooks.example.com/'.padEnd(length, 'x');
    const urls = [urlOf(2047), urlOf(2048), urlOf(2049), 'http://hooks.example.com/', ''];

    expect(urls.map((url) => fits(schema, url))).toEqual([true, true, false, false, false]);
    expect(urls.map((url) => parseEndpointUrl(url).ok)).toEqual([true, true, false, false, false]);
  });

  it('the description of a registration has the length and the characters that the service accepts', () => {
    const schema = propertyOf('RegisterWebhookRequest', 'description');
    const characters = Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code));
    const texts = ['', 'x'.repeat(500), 'x'.repeat(501), ...characters];
    const accepts = (description: string) =>
      registerWebhookBody.safeParse({ url: 'https://hooks.example.com/', description }).success;

    expect(texts.map((text) => fits(schema, text))).toEqual(texts.map(accepts));
  });

  it('a handle in a path has the length that the service accepts', () => {
    const handles = ['', 'a', 'a'.repeat(128), 'a'.repeat(129)];

    for (const schema of parametersNamed('handle'))
      expect(handles.map((handle) => fits(schema, handle))).toEqual(handles.map(isHandle));
  });

  const kinds: Readonly<Record<string, IdKind>> = { deliveryId: 'delivery', replayId: 'bulkReplay' };

  it.each(operations.filter(({ path }) => /^\/v1\/(webhooks|runs|trackers)/.test(path)))(
    'the ids in the path of $operationId have the prefix and the length of every id',
    ({ parameters, path }) => {
      for (const { name, schema } of parameters.filter((each) => each.in === 'path')) {
        const kind = kinds[name] ?? kindOf(path);
        const own = makeId(kind, 0, new Uint8Array(10));
        const ids = [own, own.padEnd(129, 'x'), own.replace(/^.../, 'xyz')];

        expect(ids.map((id) => fits(schema, id))).toEqual([true, false, false]);
        expect(ids.map((id) => isOwnId(kind, id) || isEngineId(kind, id))).toEqual([true, false, false]);
      }
    },
  );
});
