import { scenario } from '../harness/check.ts';
import { at, textAt } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import { replay, testDeliveryId } from './deliveries.ts';
import { nth, openEndpoint, pathOf, received } from './endpoint.ts';

/**
 * An endpoint whose secret is rotated once: deliveries before and during the overlap, and a second rotation within the
 * overlap. It lasts until the end of the run.
 */
export const rotation = scenario(async (ctx) => {
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
