import { scenario } from '../harness/check.ts';
import { textAt } from '../harness/json.ts';
import { endedDelivery, readDelivery, replay, testDeliveryId } from './deliveries.ts';
import { descriptionMark, nth, openEndpoint, pathOf, received } from './endpoint.ts';

/** Characters that break careless storage: quotes, line breaks, and characters outside ASCII and the BMP. */
export const mainDescription = `${descriptionMark}: "main"\nÜbergabe 🎬`;

/** An active endpoint that accepts every delivery and lasts until the end of the run. */
export const mainEndpoint = scenario(async (ctx) => {
  const endpoint = await openEndpoint(ctx, 'customer', 'main', { description: mainDescription });
  const posts = await received(ctx, endpoint, 1);
  return { endpoint, handshake: nth(posts, 0) };
});

/** The main endpoint, as each operation returns it. */
export const mainRecords = scenario(async (ctx) => {
  const { endpoint } = await mainEndpoint(ctx);
  const [read, listed, deliveries, delivery] = await Promise.all([
    ctx.customer.get(pathOf(endpoint)),
    ctx.customer.get('/v1/webhooks?limit=100'),
    ctx.customer.get(`${pathOf(endpoint)}/deliveries?limit=100`),
    readDelivery(ctx, endpoint, testDeliveryId(endpoint)),
  ]);
  return { endpoint, read, listed, deliveries, delivery };
});

/** A replay of a delivered delivery, and a replay of that replay. */
export const replays = scenario(async (ctx) => {
  const { endpoint, handshake } = await mainEndpoint(ctx);
  const original = testDeliveryId(endpoint);
  const before = await readDelivery(ctx, endpoint, original);
  const accepted = await replay(ctx, endpoint, original);
  const replayId = textAt(accepted.json, 'delivery', 'id');
  const delivered = await endedDelivery(ctx, endpoint, replayId);
  const posts = await received(ctx, endpoint, 2, (post) => post.body.equals(handshake.body)).catch(() => []);
  const after = await readDelivery(ctx, endpoint, original);
  const again = await replay(ctx, endpoint, replayId);
  return { original, handshake, before, accepted, replayId, delivered, posts, after, again };
});
