import type { Caller } from '../harness/client.ts';
import { type Context, type Party, until } from '../harness/context.ts';
import type { Exchange } from '../harness/exchange.ts';
import { at, expectThat, listAt, textAt } from '../harness/expect.ts';
import type { Received } from '../harness/receiver.ts';

/** An endpoint that the suite registered. */
export type Endpoint = {
  readonly party: Party;
  readonly id: string;
  /** Where its deliveries arrive. */
  readonly mailbox: string;
  readonly secret: string;
  readonly registered: Exchange;
};

type Options = {
  /** Query that tells the receiver how to behave. */
  readonly behaviour?: string;
  readonly description?: string;
};

export function callerOf(ctx: Context, party: Party): Caller {
  return party === 'customer' ? ctx.customer : ctx.other;
}

/** Every description of the suite begins so: what an earlier run left behind is recognised by it. */
export const descriptionMark = 'conformance suite';

/** Takes a slot and registers an endpoint at the receiver; whether it became active is not asked. */
export async function openEndpoint(
  ctx: Context,
  party: Party,
  name: string,
  { behaviour, description }: Options = {},
): Promise<Endpoint> {
  await ctx.slots[party].take();
  const mailbox = `${ctx.tag}-${name}`;
  const registered = await callerOf(ctx, party).post('/v1/webhooks', {
    url: ctx.receiver().urlOf(mailbox, behaviour),
    description: description ?? `${descriptionMark}: ${name}`,
  });
  expectThat(
    registered.status === 201,
    `201 for the registration of "${name}"`,
    `${registered.status} ${registered.text}`,
  );
  const id = textAt(registered.json, 'webhook', 'id');
  return { party, id, mailbox, secret: textAt(registered.json, 'secret'), registered };
}

/** Deletes it and gives its slot back. */
export async function closeEndpoint(ctx: Context, endpoint: Endpoint): Promise<Exchange> {
  const deleted = await callerOf(ctx, endpoint.party).remove(pathOf(endpoint));
  ctx.slots[endpoint.party].give();
  return deleted;
}

export function pathOf({ id }: { readonly id: string }): string {
  return `/v1/webhooks/${id}`;
}

export function testDeliveryId({ registered }: Endpoint): string {
  return textAt(registered.json, 'test_delivery', 'id');
}

export function readDelivery(ctx: Context, endpoint: Endpoint, deliveryId: string): Promise<Exchange> {
  return callerOf(ctx, endpoint.party).get(`${pathOf(endpoint)}/deliveries/${deliveryId}`);
}

export function replay(ctx: Context, endpoint: Endpoint, deliveryId: string): Promise<Exchange> {
  return callerOf(ctx, endpoint.party).post(`${pathOf(endpoint)}/deliveries/${deliveryId}/replay`);
}

/** The newest deliveries of an endpoint. */
export async function newestDeliveries(ctx: Context, endpoint: Endpoint): Promise<readonly unknown[]> {
  const page = await callerOf(ctx, endpoint.party).get(`${pathOf(endpoint)}/deliveries?limit=100`);
  return listAt(page.json, 'items');
}

/** Waits for the delivery of an event and until it is as wanted. */
export async function deliveryOf(
  ctx: Context,
  endpoint: Endpoint,
  eventId: string,
  isWanted: (delivery: unknown) => boolean = () => true,
  seconds = 15,
): Promise<unknown> {
  const look = async () =>
    (await newestDeliveries(ctx, endpoint)).find(
      (delivery) => at(delivery, 'event_id') === eventId && isWanted(delivery),
    );
  return await until(ctx, `the wanted delivery of ${eventId} to ${endpoint.mailbox}`, look, {
    seconds,
    everyMs: 500,
  });
}

export function hasEnded(delivery: unknown): boolean {
  return at(delivery, 'status') !== 'pending';
}

/** Waits until so many POSTs came to a mailbox. */
export async function received(
  ctx: Context,
  { mailbox }: Pick<Endpoint, 'mailbox'>,
  count: number,
  isWanted: (post: Received) => boolean = () => true,
  seconds = 15,
): Promise<readonly Received[]> {
  const look = async () => {
    const posts = (await ctx.receiver().inbox(mailbox)).filter(isWanted);
    return posts.length >= count ? posts : undefined;
  };
  return await until(ctx, `POST ${count} at ${mailbox}`, look, { seconds });
}

/** The `index`-th of what came, which has to be there. */
export function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items.at(index);
  expectThat(item !== undefined, `an element at ${index}`, `${items.length} elements`);
  return item;
}
