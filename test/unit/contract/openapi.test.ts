import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openApiDocument } from '../../../shared/contract/openapi/document.ts';
import { operationDetails } from '../../../shared/contract/openapi/operations.ts';
import { problemCodes } from '../../../shared/contract/problem-codes.ts';
import { operationNames, routes } from '../../../shared/contract/routes.ts';

const response = z.object({
  content: z.record(z.string(), z.object({ examples: z.record(z.string(), z.unknown()) })).optional(),
});
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
});

function codesOf(name: keyof typeof routes): readonly string[] {
  const { path, method } = routes[name];
  const { paths } = document.parse(openApiDocument());
  const { responses } = paths[path]?.[method.toLowerCase()] ?? { responses: {} };
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, each]) =>
      Object.keys(response.parse(each).content?.['application/problem+json']?.examples ?? {}),
    );
}

describe('docs/openapi.json', () => {
  it('is what the routes and schemas say now; `npm run docs:openapi` writes it', async () => {
    const stored = await readFile('docs/openapi.json', 'utf8');

    expect(stored).toBe(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
  });

  it.each(operationNames)('gives an example for every problem of %s', (name) => {
    const codes = codesOf(name);

    expect(codes).toEqual(expect.arrayContaining([...routes[name].problems, 'internal_error']));
    expect(codes.every((code) => Object.hasOwn(problemCodes, code))).toBe(true);
  });

  it.each(operationNames)('has an example of %s that its schema accepts', (name) => {
    const { answer, example } = operationDetails[name];

    if (answer instanceof z.ZodType) expect(answer.safeParse(example).error).toBeUndefined();
    else expect(example).toBeUndefined();
  });
});
