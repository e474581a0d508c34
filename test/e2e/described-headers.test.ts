import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import openApi from '../../docs/openapi.json' with { type: 'json' };
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();

const headers = z.record(z.string(), z.unknown()).default({});
const response = z.object({ $ref: z.string().optional(), headers });
const document = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), response) }))),
    components: z.object({ headers, responses: z.record(z.string(), response) }),
  })
  .parse(openApi);

/** Every header that some response has. */
const names = Object.keys(document.components.headers);

function describedHeaders(path: string, method: string, status: number): readonly string[] {
  const given = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  const shared = document.components.responses[given?.$ref?.replace(/^.*\//, '') ?? ''];
  if (given === undefined) throw new Error(`Cannot find the response ${status} of ${method} ${path}`);
  return Object.keys((shared ?? given).headers);
}

describe('docs/openapi.json', () => {
  let customer: StackCustomer;
  let id: string;
  beforeAll(async () => {
    customer = await stack.newCustomer();
    id = (await customer.register(customer.receiver('headers'))).webhook.id;
  });

  it.each([
    { method: 'GET', path: '/v1/webhooks', status: 200 },
    { method: 'GET', path: '/v1/webhooks', query: '?limit=0', status: 400 },
    { method: 'GET', path: '/v1/webhooks', key: 'key_1', status: 401 },
    { method: 'GET', path: '/v1/runs/{id}', status: 404 },
    { method: 'POST', path: '/v1/webhooks/{id}/rotate', status: 200, withKey: 'Idempotency-Replayed' },
    { method: 'POST', path: '/v1/webhooks/{id}/rotate', status: 409, withKey: 'Retry-After' },
    { method: 'DELETE', path: '/v1/webhooks/{id}', status: 204 },
  ])(
    'names exactly the headers of $status that $method $path sends, and what it sends only with a key',
    async ({ method, path, query = '', key, status, withKey }) => {
      const target = path.replace('{id}', path.startsWith('/v1/runs') ? 'run_none' : id) + query;

      const answer = await customer.ask(method, target, key);

      expect(answer.status).toBe(status);
      expect(names.filter((name) => answer.headers.has(name)).toSorted()).toEqual(
        describedHeaders(path, method, status)
          .filter((name) => name !== withKey)
          .toSorted(),
      );
    },
  );
});
