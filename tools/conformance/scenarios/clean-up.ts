import type { Log } from '../harness/client.ts';
import type { Exchange } from '../harness/exchange.ts';
import { at, listOrNone } from '../harness/json.ts';
import type { Context, Customer } from '../harness/session.ts';
import { callerOf, descriptionMark, pathOf } from './endpoint.ts';

const customers = ['customer', 'other'] as const satisfies readonly Customer[];

/**
 * Deletes the endpoints of an earlier run, so that all slots of both customers are free.
 *
 * @throws Error when a customer has endpoints that the suite did not register
 */
export async function makeRoom(ctx: Context): Promise<void> {
  if (ctx.config.receiver === undefined) return;
  for (const customer of customers) {
    const held = await readEndpoints(ctx, customer);
    const foreign = held.filter(({ description }) => !description.startsWith(descriptionMark));
    if (foreign.length > 0) {
      const ids = foreign.map(({ id }) => id).join(', ');
      throw new Error(`The suite needs all five endpoint slots of both customers; these endpoints occupy some: ${ids}`);
    }
    await Promise.all(held.map((endpoint) => callerOf(ctx, customer).remove(pathOf(endpoint))));
  }
}

/** Deletes every endpoint that a run registered. */
export async function cleanUp(ctx: Context, { exchanges }: Log): Promise<void> {
  for (const customer of customers) {
    const made = registeredIn(exchanges.filter(({ request }) => request.by === customer));
    await Promise.allSettled(made.map((id) => callerOf(ctx, customer).remove(pathOf({ id }))));
  }
}

async function readEndpoints(
  ctx: Context,
  customer: Customer,
): Promise<readonly { readonly id: string; readonly description: string }[]> {
  const { json } = await callerOf(ctx, customer).get('/v1/webhooks?limit=100');
  return listOrNone(json, 'items').map((item) => ({
    id: String(at(item, 'id')),
    description: String(at(item, 'description')),
  }));
}

function registeredIn(own: readonly Exchange[]): readonly string[] {
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
