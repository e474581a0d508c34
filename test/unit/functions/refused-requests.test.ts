import { expect, it } from 'vitest';
import { operationFolder } from '#shared/contract/functions.ts';
import { isPublic, type OperationName, operationNames, routes } from '#shared/contract/routes.ts';
import { makeId } from '#shared/domain/ids.ts';
import { operationDetails } from '../../../site/openapi/operations.ts';
import { apiEvent, operationCommands, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { webhookId } from '../../support/values/builders.ts';

// Every call but a count of the request would turn these responses into a 500.
const { table } = useFunctionClients();

const operations = operationNames.filter((name) => !isPublic(name));

/** The answer of a handler, as a problem, and what it asked the table for. */
async function refusal(name: OperationName, given: Parameters<typeof apiEvent>[2]) {
  const { method, path } = routes[name];
  const folder = operationFolder(name).replace('api/', '');
  const { handler } = await import(`../../../functions/api/${folder}/handler.ts`);
  const { statusCode, body } = await handler(apiEvent(method, path, given), lambdaContext);
  return { statusCode, problem: JSON.parse(body), body, reads: operationCommands(table) };
}

it.each(operations)('%s refuses an unknown parameter and names those it takes', async (name) => {
  const known = Object.keys(operationDetails[name].query?.shape ?? {});

  const { statusCode, problem, reads } = await refusal(name, { query: { limt: '10' } });

  expect(statusCode).toBe(400);
  const { detail, errors } = problem;
  expect(errors).toEqual([{ pointer: '?limt', detail }]);
  expect(detail.match(/takes (.*)$/)[1]).toBe(known.map((each) => `\`${each}\``).join(', ') || 'none');
  expect(reads).toEqual([]);
});

const hostile = ['', '\u0000', '%2e%2e%2f', '__proto__', `${webhookId}#`, makeId('customer', 0, new Uint8Array(10))];

it.each(operations.filter((name) => routes[name].path.includes('{id}')))(
  'a hostile path is not found by %s, without a read',
  async (name) => {
    for (const id of hostile) {
      const { body, ...answer } = await refusal(name, { path: { id, deliveryId: id, replayId: id } });

      expect(answer, id).toMatchObject({ statusCode: 404, problem: { code: 'not_found' }, reads: [] });
      if (id !== '') expect(body).not.toContain(JSON.stringify(id).slice(1, -1));
    }
  },
);
