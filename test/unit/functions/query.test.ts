import { describe, expect, it } from 'vitest';
import { operationNames, routes } from '#shared/contract/routes.ts';
import { operationDetails } from '../../../docs/openapi/operations.ts';
import { apiEvent, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';

const { table, queues } = useFunctionClients();

const customerOperations = operationNames.filter((name) => routes[name].access === 'customer');
const folderOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe('the query of a request', () => {
  it.each(customerOperations)('%s refuses an unknown parameter and names those it takes', async (name) => {
    const { method, path } = routes[name];
    const known = Object.keys(operationDetails[name].query?.shape ?? {});
    const { handler } = await import(`../../../functions/api/${folderOf(name)}/handler.ts`);

    const answer = await handler(apiEvent(method, path, { query: { limt: '10' } }), lambdaContext);

    expect(answer.statusCode).toBe(400);
    const { detail, errors } = JSON.parse(answer.body);
    expect(errors).toEqual([{ pointer: '?limt', detail }]);
    expect(detail.match(/takes (.*)$/)[1]).toBe(known.map((each) => `\`${each}\``).join(', ') || 'none');
    expect(commandsOf(queues)).toEqual([]);
    expect(commandsOf(table).length).toBeGreaterThan(0);
  });
});
