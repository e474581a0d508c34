import { scenario } from '../harness/check.ts';
import type { Exchange } from '../harness/exchange.ts';
import { at, textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';
import { deliveryOf, hasEnded } from './deliveries.ts';
import { callerOf, type Endpoint, openEndpoint, pathOf, received } from './endpoint.ts';
import { mainEndpoint } from './endpoints.ts';
import { deliveredAtOnce } from './retries.ts';

/** Asks for a bulk replay, as the customer of the endpoint. */
const askFor = (ctx: Context, endpoint: Endpoint, body: object, path = 'replays'): Promise<Exchange> =>
  callerOf(ctx, endpoint.customer).post(`${pathOf(endpoint)}/${path}`, body);

/** A bulk replay once it and all its deliveries have ended. */
async function ended(ctx: Context, endpoint: Endpoint, accepted: Exchange): Promise<unknown> {
  const id = textAt(accepted.json, 'id');
  const look = async () => {
    const { json } = await ctx.customer.get(`${pathOf(endpoint)}/replays/${id}`);
    return at(json, 'status') !== 'running' && at(json, 'outcomes', 'pending') === 0 ? json : undefined;
  };
  return await until(ctx, `the end of ${id}`, look, { seconds: 30, everyMs: 1_000 });
}

/** An endpoint that is sent, twice, an event that only another one had. */
export const gathered = scenario(['receiver', 'intake'], async (ctx) => {
  const [{ endpoint: source }, { delivery, post }] = await Promise.all([mainEndpoint(ctx), deliveredAtOnce(ctx)]);
  const heir = await openEndpoint(ctx, 'customer', 'heir');
  const original = textAt(delivery, 'id');
  const body = { status: 'delivered', delivery_ids: [original], source_webhook_id: source.id };
  const plan = await askFor(ctx, heir, body, 'replays/plan');
  const accepted = await askFor(ctx, heir, body);
  const job = await ended(ctx, heir, accepted);
  const posts = await received(ctx, heir, 1, ({ json }) => at(json, 'id') === at(post.json, 'id'));
  const made = await deliveryOf(ctx, heir, textAt(delivery, 'event_id'), hasEnded);
  const again = await ended(ctx, heir, await askFor(ctx, heir, body));
  const otherType = await askFor(ctx, heir, { ...body, event_type: 'tracker.changed' }, 'replays/plan');
  const otherWay = await askFor(ctx, heir, { ...body, response: '5xx' }, 'replays/plan');
  const cancelled = await askFor(ctx, heir, {}, `replays/${textAt(again, 'id')}/cancel`);
  const { json: activity } = await ctx.customer.get(`${pathOf(heir)}/activity`);
  return {
    ...{ source, heir, original, plan, accepted, job, post, posts, made, again, otherType, otherWay },
    ...{ cancelled, activity },
  };
});

/** Requests for bulk replays that must be refused. */
export const refusedReplays = scenario(['receiver'], async (ctx) => {
  const { endpoint } = await mainEndpoint(ctx);
  const stranger = await openEndpoint(ctx, 'other', 'stranger');
  const all = { status: 'failed', created_after: '2020-01-01T00:00:00Z' };
  const unknownId = `whe_${'0'.repeat(26)}`;
  return {
    misspelt: await askFor(ctx, endpoint, { ...all, rate_per_second: 1 }),
    noBeginning: await askFor(ctx, endpoint, { status: 'failed' }),
    noIds: await askFor(ctx, endpoint, { ...all, delivery_ids: [] }),
    unknownDelivery: await askFor(ctx, endpoint, { ...all, delivery_ids: [`whd_${'0'.repeat(26)}`] }),
    unknownSource: await askFor(ctx, stranger, { ...all, source_webhook_id: unknownId }),
    foreignSource: await askFor(ctx, stranger, { ...all, source_webhook_id: endpoint.id }),
    ids: { unknown: unknownId, foreign: endpoint.id },
  };
});
