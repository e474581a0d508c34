import { type Check, check, groupsOf } from '../harness/check.ts';
import type { Caller } from '../harness/client.ts';
import { type Exchange, headerOf } from '../harness/exchange.ts';
import type { Context } from '../harness/session.ts';
import { everyResponse, faultOf, type Kind } from './every-response.ts';
import { endpointOperations, endpointOperationsWithBody, resultOperations, sendTo } from './operations.ts';
import { portalLinks } from './portal-links.ts';
import { expectProblem, expectStatus } from './problems.ts';

function as(caller: Caller, authorization: string, path = '/v1/webhooks?limit=1'): Promise<Exchange> {
  return caller.send('GET', path, { headers: { authorization } });
}

/** Every operation that needs a credential, with ids that do not exist. */
const operations = [
  'POST /v1/webhooks',
  'GET /v1/webhooks',
  ...endpointOperations,
  ...endpointOperationsWithBody,
  'GET /v1/deliveries',
  'GET /v1/creators/tiktok/somebody/videos',
  'GET /v1/runs',
  ...resultOperations,
  'GET /v1/addresses',
  'GET /v1/credential',
];

const missing: readonly Check[] = [
  ...operations.map((operation) =>
    check(`${operation} without a credential answers missing_authorization`, [], async (ctx) =>
      expectProblem(await sendTo(ctx.anonymous, operation), 'missing_authorization'),
    ),
  ),
  ...['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Token abc'].map((authorization) =>
    check(`"${authorization}" is not a bearer credential`, [], async (ctx) =>
      expectProblem(await as(ctx.anonymous, authorization), 'missing_authorization'),
    ),
  ),
];

function unknownKey(ctx: Context): string {
  const [key = ''] = ctx.config.keys;
  return `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
}

const keys: readonly Check[] = [
  check('an API key is accepted as a bearer credential', [], async (ctx) =>
    expectStatus(await ctx.customer.get('/v1/webhooks?limit=1'), 200),
  ),
  check('the scheme is matched in any case', [], async (ctx) => {
    for (const scheme of ['bearer', 'BEARER']) {
      const [key = ''] = ctx.config.keys;
      expectStatus(await as(ctx.customer, `${scheme} ${key}`), 200);
    }
  }),
  check('a key that differs in its last character is not recognised', [], async (ctx) =>
    expectProblem(await as(ctx.anonymous, `Bearer ${unknownKey(ctx)}`), 'invalid_key'),
  ),
  check('a credential that is neither a key nor a token is an unknown key', [], async (ctx) => {
    expectProblem(await as(ctx.anonymous, 'Bearer something'), 'invalid_key');
    expectProblem(await as(ctx.anonymous, 'Bearer a.b'), 'invalid_key');
  }),
  check('a key in another case is not recognised', [], async (ctx) => {
    const [key = ''] = ctx.config.keys;
    expectProblem(await as(ctx.anonymous, `Bearer ${key.toUpperCase()}`), 'invalid_key');
  }),
  check('a revoked key answers key_revoked', ['credentials.revoked_key'], async (ctx) => {
    const { revoked_key } = ctx.config.credentials;
    expectProblem(await as(ctx.anonymous, `Bearer ${revoked_key}`), 'key_revoked');
  }),
  check('the credential is checked before the request', [], async (ctx) => {
    const refused = await ctx.anonymous.send('POST', '/v1/webhooks', {
      bytes: Buffer.from('{'),
      headers: { authorization: `Bearer ${unknownKey(ctx)}`, 'content-type': 'application/json' },
    });
    expectProblem(refused, 'invalid_key');
    expectProblem(await ctx.anonymous.get('/v1/webhooks?limit=0'), 'missing_authorization');
  }),
];

/** A token with a valid payload and an empty signature. */
function unsigned(ctx: Context): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const time = Math.floor(ctx.now() / 1_000);
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub: 'anybody', iat: time, exp: time + 600 })}.`;
}

function tampered(token: string): string {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const middle = Math.floor(signature.length / 2);
  const other = signature[middle] === 'A' ? 'B' : 'A';
  return `${head}.${payload}.${signature.slice(0, middle)}${other}${signature.slice(middle + 1)}`;
}

const refusedTokens = [
  ['an expired token', 'expired_token', 'invalid_token'],
  ['a token for another audience', 'foreign_audience_token', 'invalid_token'],
  ['a token of a revoked connection', 'connection_revoked_token', 'connection_revoked'],
  ['a token of a connection without an organization', 'organization_not_selected_token', 'organization_not_selected'],
  ['a token of a user who left the organization', 'organization_access_revoked_token', 'organization_access_revoked'],
] as const;

const tokens: readonly Check[] = [
  check('an access token is accepted as a bearer credential', ['credentials.token'], async (ctx) =>
    expectStatus(await as(ctx.anonymous, `Bearer ${ctx.config.credentials.token}`), 200),
  ),
  check('a malformed token answers invalid_token', [], async (ctx) =>
    expectProblem(await as(ctx.anonymous, 'Bearer a.b.c'), 'invalid_token'),
  ),
  check('an unsigned token answers invalid_token', [], async (ctx) =>
    expectProblem(await as(ctx.anonymous, `Bearer ${unsigned(ctx)}`), 'invalid_token'),
  ),
  check('a token with an edited signature answers invalid_token', ['credentials.token'], async (ctx) => {
    const token = tampered(ctx.config.credentials.token ?? '');
    expectProblem(await as(ctx.anonymous, `Bearer ${token}`), 'invalid_token');
  }),
  ...refusedTokens.map(([what, name, code]) =>
    check(`${what} answers ${code}`, [`credentials.${name}`], async (ctx) =>
      expectProblem(await as(ctx.anonymous, `Bearer ${ctx.config.credentials[name]}`), code),
    ),
  ),
];

/** API Gateway's REST APIs rename this header in function responses. */
const challengeNames = ['www-authenticate', 'x-amzn-remapped-www-authenticate'];

const unauthorized: Kind = {
  appliesTo: ({ status }) => status === 401,
  sample: (ctx) => ctx.anonymous.get('/v1/webhooks'),
};

const challenge: readonly Check[] = [
  everyResponse(unauthorized, {
    name: 'every 401 asks for a Bearer credential',
    wanted: 'WWW-Authenticate: Bearer, also under the name that API Gateway gives it',
    fault: faultOf(
      'WWW-Authenticate',
      (exchange) => challengeNames.map((name) => headerOf(exchange, name)).find(Boolean) ?? '',
      (value) => /^bearer\b/i.test(value),
    ),
  }),
];

export const authentication = groupsOf('Authentication', {
  'Missing credential': missing,
  'API keys': keys,
  'Access tokens': tokens,
  'Portal links': portalLinks,
  'Every answer': challenge,
});
