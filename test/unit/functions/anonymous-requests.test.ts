import { expect, it } from 'vitest';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { buildApiEvent, lambdaContext, useOutput } from '../../support/aws/lambda-events.ts';

// A call of the table would turn these responses into a 500.
useFunctionClients();
const output = useOutput();

/** What one line of a log and one answer may have, whatever was asked. */
const mostBytes = 1_000;

const long = 'x'.repeat(8_000);
const jwt = `${long}.${long}.${long}`;

type Asked = Partial<Parameters<typeof buildApiEvent>[0]>;
const bearer = (credential: string): Asked => ({ headers: { Authorization: `Bearer ${credential}` } });

const vectors: readonly (readonly [string, Asked])[] = [
  ['no header', { headers: {} }],
  ['a long key', bearer(long)],
  ['a long key of the right form', bearer(`key_${long}`)],
  ['a long portal link', bearer(`ptl_${long}`)],
  ['a long token', bearer(jwt)],
  ['another scheme', { headers: { Authorization: `${long} ${long}` } }],
  ['two credentials', bearer(`${long} ${long}`)],
  ['a long path', { path: `/v1/webhooks/${long}`, pathParameters: { id: long } }],
  ['a long id of a Run', { path: `/v1/runs/run_${long}`, pathParameters: { id: `run_${long}` } }],
  ['a long query', { queryStringParameters: { [long]: long }, multiValueQueryStringParameters: { a: [long] } }],
  ['a long body', { httpMethod: 'POST', body: `"${long}"` }],
  ['a long media type', { headers: { Authorization: 'x', 'Content-Type': long, Accept: long } }],
];

it.each(['not-found', 'list-webhooks', 'get-run', 'register-webhook', 'plan-bulk-replay'])(
  'what %s answers and logs without a credential is bounded, whatever is asked',
  async (folder) => {
    const { handler } = await import(`../../../functions/api/${folder}/handler.ts`);
    for (const [name, asked] of vectors) {
      const logged = output().length;
      const answer = await handler(buildApiEvent({ headers: {}, ...asked }), lambdaContext);

      expect(answer.statusCode, name).toBe(folder === 'not-found' ? 404 : 401);
      expect(Buffer.byteLength(JSON.stringify(answer)), name).toBeLessThan(mostBytes);
      expect(JSON.stringify(answer), name).not.toContain('xxxx');
      expect(output().slice(logged).length, name).toBeLessThan(mostBytes);
      expect(output(), name).not.toContain('xxxx');
    }
  },
);
