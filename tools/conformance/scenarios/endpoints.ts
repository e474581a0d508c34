import { collected, scenario } from '../harness/check.ts';
import { at, textAt } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import { askForExample, endedDelivery, operationsOn, readDelivery, replay, testDeliveryId } from './deliveries.ts';
import { closeEndpoint, descriptionMark, nth, openEndpoint, pathOf, received } from './endpoint.ts';

/** Characters that break careless storage: quotes, line breaks, and characters outside ASCII and the BMP. */
export const mainDescription = `${descriptionMark}: "main"\nÜbergabe 🎬`;

/** An active endpoint that accepts every delivery and lasts until the end of the run. */
export const mainEndpoint = scenario(['receiver'], async (ctx) => {
  const endpoint = await openEndpoint(ctx, 'customer', 'main', { description: mainDescription });
  const posts = await received(ctx, endpoint, 1);
  return { endpoint, handshake: nth(posts, 0) };
});

/** The main endpoint, as each operation returns it. */
export const mainRecords = scenario(['receiver'], async (ctx) => {
  const { endpoint } = await mainEndpoint(ctx);
  const [read, listed, deliveries, delivery, stats, hour, unknownWindow] = await Promise.all([
    ctx.customer.get(pathOf(endpoint)),
    ctx.customer.get('/v1/webhooks?limit=100'),
    ctx.customer.get(`${pathOf(endpoint)}/deliveries?limit=100`),
    readDelivery(ctx, endpoint, testDeliveryId(endpoint)),
    ctx.customer.get(`${pathOf(endpoint)}/stats`),
    ctx.customer.get(`${pathOf(endpoint)}/stats?window=1h`),
    ctx.customer.get(`${pathOf(endpoint)}/stats?window=2d`),
  ]);
  return { endpoint, read, listed, deliveries, delivery, stats, hour, unknownWindow };
});

/** A replay of a delivered delivery, and a replay of that replay. */
export const replays = scenario(['receiver'], async (ctx) => {
  const { endpoint, handshake } = await mainEndpoint(ctx);
  const original = testDeliveryId(endpoint);
  const before = await readDelivery(ctx, endpoint, original);
  const accepted = await replay(ctx, endpoint, original);
  const replayId = textAt(accepted.json, 'delivery', 'id');
  const delivered = await endedDelivery(ctx, endpoint, replayId);
  const posts = await received(ctx, endpoint, 2, (post) => post.body.equals(handshake.body)).catch(() => []);
  const after = await readDelivery(ctx, endpoint, original);
  const stats = await ctx.customer.get(`${pathOf(endpoint)}/stats`);
  const again = await replay(ctx, endpoint, replayId);
  return { original, handshake, before, accepted, replayId, delivered, posts, after, stats, again };
});

/** An example of each type, as it was accepted, received and recorded. */
export const examples = scenario(['receiver'], async (ctx) => {
  const { endpoint } = await mainEndpoint(ctx);
  const send = async (type: string) => {
    const accepted = await askForExample(ctx, endpoint, type);
    const eventId = textAt(accepted.json, 'delivery', 'event_id');
    const posts = await received(ctx, endpoint, 1, ({ json }) => at(json, 'id') === eventId);
    const deliveryId = textAt(accepted.json, 'delivery', 'id');
    return { type, accepted, post: nth(posts, 0), delivered: await endedDelivery(ctx, endpoint, deliveryId) };
  };
  const sent = [await send('run.completed'), await send('tracker.changed')];
  const unknown = await askForExample(ctx, endpoint, 'run.started');
  const empty = await ctx.customer.post(`${pathOf(endpoint)}/examples`);
  const byOther = await ctx.other.post(`${pathOf(endpoint)}/examples`, { type: 'run.completed' });
  return { endpoint, sent, unknown, empty, byOther };
});

/**
 * An endpoint whose secret is rotated once: deliveries before and during the overlap, and a second rotation within the
 * overlap. It lasts until the end of the run.
 */
export const rotation = scenario(['receiver'], async (ctx) => {
  const endpoint = await openEndpoint(ctx, 'customer', 'rotated');
  const post = async (count: number) => {
    await replay(ctx, endpoint, testDeliveryId(endpoint));
    // Other events may arrive in between.
    return nth(await received(ctx, endpoint, count, isTest), count - 1);
  };
  const before = await post(2);
  const startedAt = ctx.now();
  const rotated = await ctx.customer.post(`${pathOf(endpoint)}/rotate`);
  const read = await ctx.customer.get(pathOf(endpoint));
  const during = await post(3);
  const again = await ctx.customer.post(`${pathOf(endpoint)}/rotate`);
  const readAgain = await ctx.customer.get(pathOf(endpoint));
  const afterwards = await post(4);
  const newSecret = textAt(rotated.json, 'secret');
  return { endpoint, before, startedAt, rotated, read, during, again, readAgain, afterwards, newSecret };
});

function isTest({ json }: Received): boolean {
  return at(json, 'type') === 'webhook.test';
}

/** All POSTs to the main endpoint so far, and those before and during the rotation of a secret. */
export const allPosts = collected(['receiver'], async (ctx) => {
  const [{ endpoint, handshake }, { before, during }] = await Promise.all([mainEndpoint(ctx), rotation(ctx)]);
  return [handshake, before, during, ...(await ctx.receiver().inbox(endpoint.mailbox))];
});

/** An endpoint that is deleted, and every operation on it afterwards. */
export const deletion = scenario(['receiver'], async (ctx) => {
  const endpoint = await openEndpoint(ctx, 'customer', 'deleted');
  const deleted = await closeEndpoint(ctx, endpoint);
  const listed = await ctx.customer.get('/v1/webhooks?limit=100');
  const deliveries = await ctx.customer.get(`${pathOf(endpoint)}/deliveries`);
  const delivery = await readDelivery(ctx, endpoint, testDeliveryId(endpoint));
  const answers = await operationsOn(ctx, endpoint);
  const deletedAgain = await ctx.customer.remove(pathOf(endpoint));
  return { endpoint, deleted, listed, deliveries, delivery, ...answers, deletedAgain };
});
