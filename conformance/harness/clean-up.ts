import { callerOf, descriptionMark, pathOf } from '../scenarios/endpoint.ts';
import type { Context, Party } from './context.ts';
import { at } from './expect.ts';

const parties = ['customer', 'other'] as const satisfies readonly Party[];

/**
 * Deletes what an earlier run left behind, so that all endpoints a customer may hold are free.
 *
 * @throws Error when a customer holds endpoints that are not the suite's
 */
export async function makeRoom(ctx: Context): Promise<void> {
  if (ctx.config.receiver === undefined) return;
  for (const party of parties) {
    const held = await heldEndpoints(ctx, party);
    const foreign = held.filter(({ description }) => !description.startsWith(descriptionMark));
    if (foreign.length > 0) {
      const ids = foreign.map(({ id }) => id).join(', ');
      throw new Error(`The suite needs all five endpoints of both customers; these are in use: ${ids}`);
    }
    await Promise.all(held.map((endpoint) => callerOf(ctx, party).remove(pathOf(endpoint))));
  }
}

/** Deletes every endpoint that this run registered. */
export async function cleanUp(ctx: Context): Promise<void> {
  for (const party of parties) {
    const made = madeBy(ctx, party);
    await Promise.allSettled(made.map((id) => callerOf(ctx, party).remove(pathOf({ id }))));
  }
}

async function heldEndpoints(
  ctx: Context,
  party: Party,
): Promise<readonly { readonly id: string; readonly description: string }[]> {
  const { json } = await callerOf(ctx, party).get('/v1/webhooks?limit=100');
  const items = at(json, 'items');
  if (!Array.isArray(items)) return [];
  return items.map((item) => ({ id: String(at(item, 'id')), description: String(at(item, 'description')) }));
}

function madeBy(ctx: Context, party: Party): readonly string[] {
  const own = ctx.log.exchanges.filter(({ request }) => request.by === party);
  const gone = new Set(
    own.flatMap(({ request, status }) =>
      request.method === 'DELETE' && status === 204 ? [request.path.split('/').at(-1)] : [],
    ),
  );
  return own.flatMap(({ request, status, json }) => {
    const id = at(json, 'webhook', 'id');
    const isRegistration = request.method === 'POST' && request.path === '/v1/webhooks' && status === 201;
    return isRegistration && typeof id === 'string' && !gone.has(id) ? [id] : [];
  });
}
