import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fallbackFunctionFolder, operationFolder } from '#shared/contract/functions.ts';
import { isPublic, operationNames, routes } from '#shared/contract/routes.ts';
import { serveFiles } from '#shared/runtime/serve-files.ts';
import { apiEvent, apiKey, operationCommands, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { apiEvents, type EventVector } from '../../support/values/api-events.ts';
import { temporaryFolder } from '../../support/vitest/temporary-folder.ts';

const { table } = useFunctionClients();

/** What API Gateway accepts of a function. It answers anything else with 502. */
const answerSchema = z.strictObject({
  statusCode: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean().optional(),
});
const problemSchema = z.looseObject({
  status: z.int(),
  code: z.string(),
  instance: z.string().min(1).optional(),
  errors: z.array(z.object({ pointer: z.string() })).default([]),
});

/** The event as a function gets it: through JSON, which has no `undefined`. */
function eventOf(method: string, path: string, { given, context }: EventVector, file?: string) {
  const base = apiEvent(method, path, file === undefined ? {} : { path: { file } });
  const requestContext = context ?? base.requestContext;
  return JSON.parse(JSON.stringify({ ...base, requestContext, ...given }));
}

/** The answer of a function in short, after a look at its shape. */
function summary(answer: unknown): readonly (number | string)[] {
  const { statusCode, headers, body } = answerSchema.parse(answer);
  if (headers['Content-Type'] !== 'application/problem+json') return [statusCode];
  const problem = problemSchema.parse(JSON.parse(body));
  expect(problem.status).toBe(statusCode);
  return [statusCode, problem.code, ...problem.errors.map(({ pointer }) => pointer)];
}

async function answerOf(folder: string, event: unknown) {
  const { handler } = await import(`../../../functions/api/${folder.replace('api/', '')}/handler.ts`);
  return summary(await handler(event, lambdaContext));
}

const operations = operationNames.filter((name) => !isPublic(name));

describe.each(apiEvents(apiKey))('with $name', (vector) => {
  it('every operation answers with the same problem, and reads nothing', async () => {
    const answers = await Promise.all(
      operations.map(async (name) => {
        const { method, path } = routes[name];
        return [name, await answerOf(operationFolder(name), eventOf(method, path, vector))] as const;
      }),
    );

    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(operations.map((name) => [name, vector.refusal])));
    expect(operationCommands(table)).toEqual([]);
  });

  it('the function of unknown paths answers not_found', async () => {
    const event = eventOf('GET', '/{proxy+}', vector);

    expect(await answerOf(fallbackFunctionFolder, event)).toEqual([404, 'not_found']);
  });

  it('the function of the documentation answers with its page, or that there is none', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'docs'));
    for (const name of ['index', 'guide']) await writeFile(join(folder, `docs/${name}.html`), name);
    const settings = { docsUrl: 'https://docs.example.com', consoleFrameAncestors: '' };
    const serve = serveFiles(pathToFileURL(`${folder}/`), settings);
    const ask = async (file: string) => summary(await serve(eventOf('GET', '/docs/{file+}', vector, file)));

    expect(await ask('guide')).toEqual([vector.page ?? 200]);
    if (vector.given.pathParameters !== null) expect(await ask('none')).toEqual([404, 'not_found']);
  });
});
