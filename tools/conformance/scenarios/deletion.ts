import { scenario } from '../harness/check.ts';
import { readDelivery, replay, testDeliveryId } from './deliveries.ts';
import { closeEndpoint, openEndpoint, pathOf } from './endpoint.ts';

/** An endpoint that is deleted, and every operation on it afterwards. */
export const deletion = scenario(async (ctx) => {
  const endpoint = await openEndpoint(ctx, 'customer', 'deleted');
  const deleted = await closeEndpoint(ctx, endpoint);
  const read = await ctx.customer.get(pathOf(endpoint));
  const listed = await ctx.customer.get('/v1/webhooks?limit=100');
  const deliveries = await ctx.customer.get(`${pathOf(endpoint)}/deliveries`);
  const delivery = await readDelivery(ctx, endpoint, testDeliveryId(endpoint));
  const rotated = await ctx.customer.post(`${pathOf(endpoint)}/rotate`);
  const replayed = await replay(ctx, endpoint, testDeliveryId(endpoint));
  const deletedAgain = await ctx.customer.remove(pathOf(endpoint));
  return { endpoint, deleted, read, listed, deliveries, delivery, rotated, replayed, deletedAgain };
});
