import { scenario } from '../harness/check.ts';
import type { Exchange } from '../harness/exchange.ts';
import { at, textAt } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import type { Context } from '../harness/session.ts';
import { deliveryOf, hasEnded, operationsOn, readDelivery } from './deliveries.ts';
import { descriptionMark, type Endpoint, nth, openEndpoint, pathOf, received } from './endpoint.ts';
import { settledRun } from './messages.ts';

const register = (ctx: Context, name: string, members: object = {}): Promise<Exchange> =>
  ctx.other.post('/v1/webhooks', { url: ctx.receiver().urlOf(`${ctx.tag}-${name}`), ...members });

/** All endpoint slots of the other customer: five endpoints, one of them failed, and a refused sixth. */
export const allSlotsTaken = scenario(['receiver'], async (ctx) => {
  const target = ctx.receiver().urlOf(`${ctx.tag}-redirected`);
  const [main, redirecting, failed, timely, cutting] = await Promise.all([
    openEndpoint(ctx, 'other', 'other-main'),
    openEndpoint(ctx, 'other', 'redirecting', { behaviour: `redirect=${encodeURIComponent(target)}` }),
    openEndpoint(ctx, 'other', 'failed', { behaviour: 'handshake=500' }),
    openEndpoint(ctx, 'other', 'timely', { behaviour: 'delay_ms=7000&status=204' }),
    openEndpoint(ctx, 'other', 'cutting', { behaviour: 'close=1' }),
  ]);
  const refused = await register(ctx, 'one-too-many', { description: descriptionMark });
  return { main, redirecting, failed, timely, cutting, refused };
});

/** The failed endpoint of the other customer, and the operations that it refuses. */
export const failedHandshake = scenario(['receiver'], async (ctx) => {
  const { failed } = await allSlotsTaken(ctx);
  return { endpoint: failed, registered: failed.registered, ...(await operationsOn(ctx, failed)) };
});

/** One event of the other customer, sent to all of its endpoints. */
export const otherWave = scenario(['receiver', 'intake.other_customer_id'], async (ctx) => {
  const endpoints = await allSlotsTaken(ctx);
  const run = settledRun(ctx, 'completed');
  await ctx.intake().put({ type: 'run.settled', customer_id: ctx.intake().otherCustomerId, run });
  const isOfRun = (post: Received) => at(post.json, 'run_id') === run.id;
  const event = nth(await received(ctx, endpoints.main, 1, isOfRun), 0);
  const eventId = textAt(event.json, 'id');
  const tried = async (endpoint: Endpoint) => {
    await received(ctx, endpoint, 1, isOfRun);
    return await deliveryOf(ctx, endpoint, eventId, (delivery) => typeof at(delivery, 'error') === 'string');
  };
  const [redirecting, cutting, timely] = await Promise.all([
    tried(endpoints.redirecting),
    tried(endpoints.cutting),
    settledLate(ctx, endpoints.timely, eventId, isOfRun),
  ]);
  const failedPosts = await ctx.receiver().inbox(endpoints.failed.mailbox);
  const redirected = await ctx.receiver().inbox(`${ctx.tag}-redirected`);
  return { run, eventId, redirecting, cutting, timely, failedPosts, redirected };
});

/** Polls slowly, because the receiver answers slowly. */
async function settledLate(
  ctx: Context,
  endpoint: Endpoint,
  eventId: string,
  isOfRun: (post: Received) => boolean,
): Promise<unknown> {
  await received(ctx, endpoint, 1, isOfRun);
  const ended = await deliveryOf(ctx, endpoint, eventId, hasEnded, { seconds: 20, everyMs: 2_000 });
  return (await readDelivery(ctx, endpoint, textAt(ended, 'id'))).json;
}

/** Slots that are freed and taken again. */
export const slotReuse = scenario(['receiver'], async (ctx) => {
  const { endpoint: failed } = await failedHandshake(ctx);
  // Events for the failed endpoint must be checked before it is deleted.
  if (ctx.config.intake?.other_customer_id !== undefined) await Promise.allSettled([otherWave(ctx)]);
  const failedBefore = await ctx.other.get(pathOf(failed));
  await ctx.other.remove(pathOf(failed));
  const freed = await register(ctx, 'freed');
  await removeRegistered(ctx, freed);
  const race = await Promise.all(['race-1', 'race-2', 'race-3', 'race-4'].map((name) => register(ctx, name)));
  for (const exchange of race) await removeRegistered(ctx, exchange);
  const unresolvable = await ctx.other.post('/v1/webhooks', {
    url: `https://${ctx.randomText(20).toLowerCase()}.example.com/`,
    description: `${descriptionMark}: unresolvable`,
  });
  await removeRegistered(ctx, unresolvable);
  ctx.slots.other.give();
  return { failedBefore, freed, race, unresolvable };
});

async function removeRegistered(ctx: Context, registered: Exchange): Promise<void> {
  const id = at(registered.json, 'webhook', 'id');
  if (typeof id === 'string') await ctx.other.remove(pathOf({ id }));
}
