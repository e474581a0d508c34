import { scenario } from '../harness/check.ts';
import type { Exchange } from '../harness/exchange.ts';
import { at, textAt } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';
import { deliveryOf, endedDelivery, hasEnded, newestDeliveries, readDelivery, replay } from './deliveries.ts';
import { closeEndpoint, nth, openEndpoint, pathOf, received } from './endpoint.ts';
import { deletion, mainEndpoint } from './endpoints.ts';
import { journeyEvents } from './journey.ts';
import { settledRun } from './messages.ts';

/** Planned seconds between consecutive attempts. */
export const plannedGaps = [600, 3_000] as const;

/**
 * Seconds by which a service may be late because it is busy. A service whose time runs faster shares the machine of a
 * developer with everything else.
 */
export const lateness = (ctx: Context): number => (ctx.config.time_scale > 1 ? 60 : 10);

/** Maximum seconds from the first attempt to the end of a delivery. */
function secondsToTheEnd(ctx: Context): number {
  return Math.max(30, (plannedGaps[0] + plannedGaps[1]) / ctx.config.time_scale + 20);
}

/** One event for endpoints that fail in different ways. */
const wave = scenario(['receiver', 'intake'], async (ctx) => {
  // The receiver counts failures by POST, so no other event may be sent while these endpoints exist, and a deleted
  // endpoint must not receive this event.
  await Promise.allSettled([journeyEvents(ctx), deletion(ctx)]);
  const main = await mainEndpoint(ctx);
  const [failing, recovering, slow] = await Promise.all([
    openEndpoint(ctx, 'customer', 'failing', { behaviour: 'status=500' }),
    openEndpoint(ctx, 'customer', 'recovering', { behaviour: 'fail_first=2&fail_status=503' }),
    openEndpoint(ctx, 'customer', 'slow', { behaviour: 'delay_ms=13000' }),
  ]);
  const run = settledRun(ctx, 'completed');
  await ctx.intake().put({ type: 'run.settled', customer_id: ctx.intake().customerId, run });
  const isOfRun = (post: Received) => at(post.json, 'run_id') === run.id;
  const delivered = nth(await received(ctx, main.endpoint, 1, isOfRun), 0);
  const eventId = textAt(delivered.json, 'id');
  return { main: main.endpoint, failing, recovering, slow, run, isOfRun, delivered, eventId };
});

export const deliveredAtOnce = scenario(['receiver', 'intake'], async (ctx) => {
  const { main, delivered, eventId } = await wave(ctx);
  return { post: delivered, delivery: await deliveryOf(ctx, main, eventId, hasEnded) };
});

/** An endpoint that answers every attempt with 500. */
export const failing = scenario(['receiver', 'intake', 'retries'], async (ctx) => {
  const { failing: endpoint, eventId, isOfRun } = await wave(ctx);
  await received(ctx, endpoint, 3, isOfRun, secondsToTheEnd(ctx));
  const delivery = await deliveryOf(ctx, endpoint, eventId, hasEnded);
  const posts = await received(ctx, endpoint, 3, isOfRun);
  return { endpoint, posts, delivery, eventId };
});

/** A replay of the failed delivery. */
export const replayOfFailed = scenario(['receiver', 'intake', 'retries'], async (ctx) => {
  const { endpoint, posts, delivery } = await failing(ctx);
  const id = textAt(delivery, 'id');
  const accepted = await replay(ctx, endpoint, id);
  const allPosts = await received(ctx, endpoint, 1 + posts.length, (post) => post.body.equals(nth(posts, 0).body));
  const after = await readDelivery(ctx, endpoint, id);
  const webhook = await ctx.customer.get(`/v1/webhooks/${endpoint.id}`);
  await closeEndpoint(ctx, endpoint);
  return { id, accepted, before: delivery, after, webhook, post: nth(allPosts, posts.length), posts };
});

/** An endpoint that fails twice and then accepts. */
export const recovering = scenario(['receiver', 'intake', 'retries'], async (ctx) => {
  const { recovering: endpoint, eventId, isOfRun } = await wave(ctx);
  const posts = await received(ctx, endpoint, 3, isOfRun, secondsToTheEnd(ctx));
  const delivery = await deliveryOf(ctx, endpoint, eventId, hasEnded);
  return { endpoint, posts, delivery };
});

/** An endpoint that exceeds the response timeout, during the first attempt. */
export const slowFirst = scenario(['receiver', 'intake'], async (ctx) => {
  const { slow: endpoint, eventId, isOfRun } = await wave(ctx);
  await received(ctx, endpoint, 1, isOfRun);
  const listed = await deliveryOf(ctx, endpoint, eventId);
  const id = textAt(listed, 'id');
  const during = await readDelivery(ctx, endpoint, id);
  const refused = await replay(ctx, endpoint, id);
  const afterRefusal = await newestDeliveries(ctx, endpoint);
  return { endpoint, id, isOfRun, during, refused, afterRefusal };
});

/** The same endpoint after the first attempt timed out. */
export const slowTimedOut = scenario(['receiver', 'intake'], async (ctx) => {
  const { endpoint, id } = await slowFirst(ctx);
  const look = async (): Promise<Exchange | undefined> => {
    const read = await readDelivery(ctx, endpoint, id);
    return typeof at(read.json, 'error') === 'string' ? read : undefined;
  };
  const given = await until(ctx, 'the end of the first attempt', look, { seconds: 25, everyMs: 2_000 });
  const retrying = await ctx.customer.get(`${pathOf(endpoint)}/deliveries?status=retrying`);
  return { id, given, retrying };
});

/** The same endpoint, deleted during the second attempt. */
export const slowDeleted = scenario(['receiver', 'intake', 'retries'], async (ctx) => {
  const { endpoint, id, isOfRun } = await slowFirst(ctx);
  await slowTimedOut(ctx);
  await received(ctx, endpoint, 2, isOfRun, secondsToTheEnd(ctx));
  const second = await readDelivery(ctx, endpoint, id);
  const deleted = await closeEndpoint(ctx, endpoint);
  const ended = await endedDelivery(ctx, endpoint, id, secondsToTheEnd(ctx) + 15);
  const posts = await received(ctx, endpoint, 2, isOfRun);
  return { second, deleted, ended, posts };
});

/** POSTs about an event to a deleted endpoint, after its deletion. */
export const afterDeletion = scenario(['receiver', 'intake'], async (ctx) => {
  const { endpoint } = await deletion(ctx);
  const { isOfRun } = await wave(ctx);
  await deliveredAtOnce(ctx);
  return (await ctx.receiver().inbox(endpoint.mailbox)).filter(isOfRun);
});
