import type { Exchange } from '../harness/exchange.ts';
import { at, listAt, textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';
import { callerOf, type Endpoint, pathOf } from './endpoint.ts';

export function testDeliveryId({ registered }: Endpoint): string {
  return textAt(registered.json, 'test_delivery', 'id');
}

export function readDelivery(ctx: Context, endpoint: Endpoint, deliveryId: string): Promise<Exchange> {
  return callerOf(ctx, endpoint.customer).get(`${pathOf(endpoint)}/deliveries/${deliveryId}`);
}

export function replay(ctx: Context, endpoint: Endpoint, deliveryId: string): Promise<Exchange> {
  return callerOf(ctx, endpoint.customer).post(`${pathOf(endpoint)}/deliveries/${deliveryId}/replay`);
}

export function askForExample(ctx: Context, endpoint: Endpoint, type: string): Promise<Exchange> {
  return callerOf(ctx, endpoint.customer).post(`${pathOf(endpoint)}/examples`, { type });
}

/** What an endpoint that receives nothing answers to each operation. */
export async function operationsOn(ctx: Context, endpoint: Endpoint) {
  const caller = callerOf(ctx, endpoint.customer);
  return {
    read: await caller.get(pathOf(endpoint)),
    rotated: await caller.post(`${pathOf(endpoint)}/rotate`),
    replayed: await replay(ctx, endpoint, testDeliveryId(endpoint)),
    stats: await caller.get(`${pathOf(endpoint)}/stats`),
    example: await askForExample(ctx, endpoint, 'run.completed'),
  };
}

/** The newest deliveries of an endpoint. */
export async function newestDeliveries(ctx: Context, endpoint: Endpoint): Promise<readonly unknown[]> {
  const page = await callerOf(ctx, endpoint.customer).get(`${pathOf(endpoint)}/deliveries?limit=100`);
  return listAt(page.json, 'items');
}

/** Waits until the delivery of an event exists and `isWanted` accepts it. */
export async function deliveryOf(
  ctx: Context,
  endpoint: Endpoint,
  eventId: string,
  isWanted: (delivery: unknown) => boolean = () => true,
  { seconds = 15, everyMs = 500 } = {},
): Promise<unknown> {
  const look = async () =>
    (await newestDeliveries(ctx, endpoint)).find(
      (delivery) => at(delivery, 'event_id') === eventId && isWanted(delivery),
    );
  const what = `the wanted delivery of ${eventId} to ${endpoint.mailbox}`;
  return await until(ctx, what, look, { seconds, everyMs });
}

export function hasEnded(delivery: unknown): boolean {
  return at(delivery, 'status') !== 'pending';
}

/** Waits for the end of a delivery with a known id. */
export async function endedDelivery(
  ctx: Context,
  endpoint: Endpoint,
  deliveryId: string,
  seconds = 15,
): Promise<unknown> {
  const look = async () => {
    const { json } = await readDelivery(ctx, endpoint, deliveryId);
    return at(json, 'id') === deliveryId && hasEnded(json) ? json : undefined;
  };
  return await until(ctx, `the end of ${deliveryId}`, look, { seconds, everyMs: 400 });
}
