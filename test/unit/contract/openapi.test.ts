import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import { type OperationName, operationNames, routes } from '#shared/contract/routes.ts';
import { eventTypes, runCompletedBody } from '#shared/domain/event.ts';
import { openApiDocument } from '../../../docs/openapi/document.ts';
import { eventDetails } from '../../../docs/openapi/events.ts';
import { operationDetails } from '../../../docs/openapi/operations.ts';

const reference = z.object({ $ref: z.string() });
const response = z.object({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z
    .record(z.string(), z.object({ examples: z.record(z.string(), z.unknown()).optional() }))
    .optional(),
});
const responses = z.record(z.string(), z.union([reference, response]));
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses }))),
  components: z.object({ responses: z.record(z.string(), response) }),
});

/** The responses of an operation by status, with those that it shares. */
function responsesOf(name: OperationName): ReadonlyMap<string, z.infer<typeof response>> {
  const { path, method } = routes[name];
  const { paths, components } = document.parse(openApiDocument());
  const given = paths[path]?.[method.toLowerCase()]?.responses ?? {};
  return new Map(
    Object.entries(given).map(([status, each]) => {
      if (!('$ref' in each)) return [status, each];
      return [status, response.parse(components.responses[each.$ref.replace('#/components/responses/', '')])];
    }),
  );
}

function codesOf(name: OperationName): readonly string[] {
  return [...responsesOf(name)]
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { content }]) => Object.keys(content?.['application/problem+json']?.examples ?? {}));
}

describe('docs/openapi.json', () => {
  it('docs/openapi.json matches the routes and schemas; `npm run docs:openapi` writes it', async () => {
    const stored = await readFile('docs/openapi.json', 'utf8');

    expect(stored).toBe(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
  });

  it.each(operationNames)('docs/openapi.json has an example for every problem of %s', (name) => {
    const codes = codesOf(name);

    expect(codes).toEqual(expect.arrayContaining([...routes[name].problems, 'internal_error']));
    expect(codes.every((code) => Object.hasOwn(problemCodes, code))).toBe(true);
  });

  it.each(operationNames.filter((name) => routes[name].access === 'customer'))(
    'docs/openapi.json names the header of a 401 of %s as API Gateway sends it',
    (name) => {
      expect(responsesOf(name).get('401')).toMatchObject({
        headers: { 'x-amzn-Remapped-WWW-Authenticate': expect.anything() },
      });
    },
  );

  it.each(operationNames)('docs/openapi.json has an example of %s that its schema accepts', (name) => {
    const { response, example } = operationDetails[name];

    if (response instanceof z.ZodType) expect(response.safeParse(example).error).toBeUndefined();
    else expect(example).toBeUndefined();
  });

  it.each(eventTypes)('docs/openapi.json describes exactly the members of %s', (type) => {
    const { body, example } = eventDetails[type];

    expect(body.safeParse(JSON.parse(example)).error).toBeUndefined();
    expect(JSON.parse(example).type).toBe(type);
  });

  it('docs/openapi.json describes the event of a Run with a Tracker', () => {
    const body = runCompletedBody(
      { id: 'evt_1', createdAt: 0 },
      { id: 'run_1', kind: 'tracker_cycle', status: 'failed', chargeUsd: 0, trackerId: 'trk_1' },
      'https://api.example.com',
    );

    expect(eventDetails['run.completed'].body.safeParse(JSON.parse(body)).error).toBeUndefined();
  });
});
