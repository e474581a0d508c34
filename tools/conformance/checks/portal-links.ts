import { type Check, check } from '../harness/check.ts';
import type { Exchange } from '../harness/exchange.ts';
import { expectMembers } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { endpointOperations, endpointOperationsWithBody } from './operations.ts';
import { expectProblem, expectStatus } from './problems.ts';

/** Operations that change something, with ids that do not exist: what a credential may do is checked before them. */
const changes = [
  'POST /v1/webhooks',
  ...[...endpointOperations, ...endpointOperationsWithBody].filter((operation) => !/^GET |\/plan$/.test(operation)),
];

const readOnly = ['credentials.read_only_link'] as const;

function send(ctx: Context, operation: string, credential: string | undefined): Promise<Exchange> {
  const [method = '', path = ''] = operation.split(' ');
  return ctx.anonymous.send(method, path, { headers: { authorization: `Bearer ${credential}` } });
}

/** Checks of the credential that a portal link contains. */
export const portalLinks: readonly Check[] = [
  check('a link that may only read reads, and says so', readOnly, async (ctx) => {
    const { read_only_link } = ctx.config.credentials;
    expectStatus(await send(ctx, 'GET /v1/webhooks', read_only_link), 200);
    expectMembers((await send(ctx, 'GET /v1/credential', read_only_link)).json, { read_only: true });
  }),
  ...changes.map((operation) =>
    check(`${operation} with a link that may only read answers portal_link_read_only`, readOnly, async (ctx) =>
      expectProblem(await send(ctx, operation, ctx.config.credentials.read_only_link), 'portal_link_read_only'),
    ),
  ),
  check('a revoked link answers portal_link_ended', ['credentials.revoked_link'], async (ctx) =>
    expectProblem(await send(ctx, 'GET /v1/webhooks', ctx.config.credentials.revoked_link), 'portal_link_ended'),
  ),
];
