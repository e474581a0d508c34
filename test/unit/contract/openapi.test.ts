import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { type OperationName, operationNames, routes } from '#shared/contract/routes.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { openApiDocument } from '../../../site/openapi/document.ts';
import { eventBodies } from '../../../site/openapi/schemas/event-schemas.ts';

const media = z.object({ examples: z.record(z.string(), z.unknown()).optional() });
const response = z.object({
  content: z.record(z.string(), media).default({}),
});
const responses = z.record(z.string(), z.union([z.object({ $ref: z.string() }), response]));
const { paths, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ responses, description: z.string() }))),
    components: z.object({ responses: z.record(z.string(), response) }),
  })
  .parse(openApiDocument());

/** The responses of an operation by status, with those that it shares. */
function responsesOf(name: OperationName): ReadonlyMap<string, z.infer<typeof response>> {
  const { path, method } = routes[name];
  const given = Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {});
  return new Map(
    given.map(([status, each]) => [
      status,
      '$ref' in each ? response.parse(components.responses[each.$ref.replace(/^.*\//, '')]) : each,
    ]),
  );
}

it('docs/openapi.json matches the routes and schemas; `npm run record` writes it', async () => {
  const stored = await readFile('docs/openapi.json', 'utf8');

  expect(stored).toBe(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
});

it.each(operationNames)('docs/openapi.json has an example for every problem of %s', (name) => {
  const codes = [...responsesOf(name).values()].flatMap(({ content }) =>
    Object.keys(content['application/problem+json']?.examples ?? {}),
  );

  expect(codes).toEqual(expect.arrayContaining([...routes[name].problems, 'internal_error']));
});

it.each(operationNames)('docs/openapi.json says of %s how pages are read if it has any', (name) => {
  const { path, method } = routes[name];
  const description = paths[path]?.[method.toLowerCase()]?.description;

  expect(description?.includes('`next_cursor`')).toBe(/^list/.test(name));
});

it('docs/openapi.json describes the event of a Run with a Tracker', () => {
  const body = runCompletedBody(
    { id: 'evt_1', createdAt: 0 },
    { id: 'run_1', kind: 'tracker_cycle', status: 'failed', chargeUsd: 0, trackerId: 'trk_1' },
    'https://api.example.com',
  );

  expect(eventBodies['run.completed'].safeParse(JSON.parse(body)).error).toBeUndefined();
});
