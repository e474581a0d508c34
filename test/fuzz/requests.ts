import fc from 'fast-check';
import * as z from 'zod';
import { anyCharacter } from '../support/values/any-character.ts';

/** One request, as it goes over the wire. */
export type FuzzRequest = {
  readonly method: string;
  /** Path and query, sent as they are. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Which of the keys it is sent with; `null` for none. */
  readonly key: number | null;
};

const valueSchema = z.looseObject({
  enum: z.array(z.string()).optional(),
  $ref: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
});
const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  schema: valueSchema,
});

const operation = z.object({
  operationId: z.string(),
  parameters: z.array(parameter),
  requestBody: z.unknown().optional(),
});

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), valueSchema) }),
});

/** Values of path parameters that exist, by the path up to the parameter's end; one for each key, in order. */
export type Known = Readonly<Record<string, readonly string[]>>;

/**
 * Requests of every operation that the API describes: mostly right, with faults mixed in everywhere. URLs to be
 * registered never name a host outside this machine.
 *
 * @param openApi the parsed description
 * @param keys how many keys there are; each is mostly sent with what belongs to its customer
 */
export function fuzzRequests(openApi: unknown, known: Known, urls: readonly string[], keys: number) {
  const { paths, components } = document.parse(openApi);
  const resolved = (schema: z.infer<typeof valueSchema>) =>
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.replace(/^.*\//, '')] ?? schema);
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, details]) => ({
      ...details,
      path,
      method: method.toUpperCase(),
      parameters: details.parameters.map((each) => ({ ...each, schema: resolved(each.schema) })),
    })),
  );
  return fc.oneof(...described.map((each) => requestOf(each, known, urls, keys)));
}

type Described = z.infer<typeof operation> & { readonly path: string; readonly method: string };

function requestOf(described: Described, known: Known, urls: readonly string[], keys: number) {
  return fc.nat(keys - 1).chain((owner) =>
    fc.record({
      method: oneIn(20, fc.constantFrom('PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS', 'GET'), described.method),
      target: fc
        .tuple(pathOf(described.path, known, owner), queryOf(described))
        .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
      headers: headersOf(described),
      body: anyBody(urls, described.requestBody === undefined ? 8 : 2),
      key: oneIn(20, fc.oneof(fc.constant(null), fc.nat(keys - 1)), owner),
    }),
  );
}

/** The usual value, or now and then (one in `times`) something else. */
function oneIn<T>(times: number, odd: fc.Arbitrary<T>, usual: T | fc.Arbitrary<T>): fc.Arbitrary<T> {
  const arbitrary = usual instanceof fc.Arbitrary ? usual : fc.constant(usual);
  return fc.oneof({ weight: times - 1, arbitrary }, { weight: 1, arbitrary: odd });
}

const oddText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom('..', '.', '%', '#', 'whe_', `whd_${'0'.repeat(26)}`, 'null', '-1', 'a'.repeat(3000), '\u0000', 'é'),
);

/** Parts of a path as they go over the wire; some are malformed. */
const hostilePart = fc.constantFrom(
  ...['%00', '%ff', '%2F', '%2e%2e%2f', '%0d%0aInjected:%20a', '%ed%a0%80', '%', '%zz', '%25', '..%5c'],
);
const oddPart = oneIn(4, hostilePart, oddText.map(encode));

function pathOf(template: string, known: Known, owner: number): fc.Arbitrary<string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const values = names.map((name) => {
    const own = known[`${template.split(`{${name}}`)[0]}{${name}}`]?.[owner];
    return own === undefined ? oddPart : oneIn(4, oddPart, encode(own));
  });
  return fc
    .tuple(...values)
    .map((chosen) =>
      names.reduce((path, name, index) => path.replace(`{${name}}`, () => chosen[index] ?? ''), template),
    );
}

/** Percent-encoded where it can be; lone surrogates cannot. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

const numbers = Array.from({ length: 100 }, (_, index) => String(index + 1));

function rightValues(schema: z.infer<typeof valueSchema>): readonly string[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.format === 'date-time') return ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00.5+02:00'];
  const [, prefix] = /^\^(evt|run)_/.exec(schema.pattern ?? '') ?? [];
  return prefix === undefined ? numbers : [`${prefix}_01KAGW43VC0000000000000000`];
}

function queryOf({ parameters }: Described): fc.Arbitrary<string> {
  const given = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, schema }) => {
      const right = fc.constantFrom(...rightValues(schema));
      const value = oneIn(4, fc.oneof(oddText, fc.constantFrom('', '0', '101', '1.5', '+5', '1e2', '٣')), right);
      return oneIn(
        3,
        fc.array(value, { maxLength: 2 }),
        value.map((each) => [each]),
      ).map((values) => values.map((each) => `${name}=${encode(each)}`));
    });
  const unknown = oneIn(
    10,
    oddText.map((text) => [`unknown=${encode(text)}`]),
    [],
  );
  return fc.tuple(...given, unknown).map((parts) => parts.flat().join('&'));
}

/** Few, so that requests meet: with the same body, with others, and while one is in progress. */
const headerValues = fc.constantFrom('one', 'two', 'three', '', 'a b', 'é', 'x'.repeat(255), 'x'.repeat(256));

function headersOf({ parameters }: Described): fc.Arbitrary<Record<string, string>> {
  const described = parameters.filter((each) => each.in === 'header').map(({ name }) => name);
  const given = fc.record(Object.fromEntries(described.map((name) => [name, headerValues])), {
    requiredKeys: [],
  });
  const usual = fc.record({
    'content-type': oneIn(
      8,
      fc.constantFrom('text/plain', 'application/xml', '', 'application/json; charset=latin1', 'multipart/form-data'),
      'application/json',
    ),
    accept: fc.constantFrom('*/*', 'text/html', 'application/json'),
  });
  return fc.tuple(usual, given).map(([one, other]) => ({ ...one, ...other }));
}

/** @param odds one in that many is not a fitting body */
function anyBody(urls: readonly string[], odds: number): fc.Arbitrary<Buffer> {
  const fitting = fc
    .record(
      { url: fc.constantFrom(...urls), description: fc.string({ unit: anyCharacter, maxLength: 600 }) },
      { requiredKeys: ['url'] },
    )
    .map((body) => Buffer.from(JSON.stringify(body)));
  const nested = fc.integer({ min: 30, max: 5000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
  const odd = fc.oneof(
    fc.constant(Buffer.alloc(0)),
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    nested.map((text) => Buffer.from(text)),
    fc.constantFrom(
      Buffer.from('\uFEFF{}'),
      Buffer.from('{"url":1}'),
      Buffer.from('{"url":"https://localhost","url":null}'),
      Buffer.from('{"__proto__":{"url":"x"},"url":[]}'),
      Buffer.from('{"url":"\\ud800"}'),
      Buffer.from(`{"description":"${'x'.repeat(70_000)}"}`),
    ),
  );
  return oneIn(odds, odd, fitting);
}
