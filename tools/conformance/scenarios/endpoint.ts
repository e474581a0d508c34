import type { Caller } from '../harness/client.ts';
import type { Exchange } from '../harness/exchange.ts';
import { expectThat } from '../harness/expect.ts';
import { textAt } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import type { Context, Customer } from '../harness/session.ts';
import { until } from '../harness/until.ts';

/** An endpoint that the suite registered. */
export type Endpoint = {
  readonly customer: Customer;
  readonly id: string;
  /** Name of the mailbox that receives its deliveries. */
  readonly mailbox: string;
  readonly secret: string;
  readonly registered: Exchange;
};

type Options = {
  /** Query that controls how the receiver responds. */
  readonly behaviour?: string;
  /** Default: a mailbox at the receiver. */
  readonly url?: string;
  readonly description?: string;
};

export function callerOf(ctx: Context, customer: Customer): Caller {
  return customer === 'customer' ? ctx.customer : ctx.other;
}

/** Prefix of every description, so that a later run recognizes leftover endpoints. */
export const descriptionMark = 'conformance suite';

/** Takes a slot and registers an endpoint at the receiver. The endpoint may be active or failed afterwards. */
export async function openEndpoint(
  ctx: Context,
  customer: Customer,
  name: string,
  { behaviour, url, description }: Options = {},
): Promise<Endpoint> {
  await ctx.slots[customer].take();
  const mailbox = `${ctx.tag}-${name}`;
  const registered = await callerOf(ctx, customer).post('/v1/webhooks', {
    url: url ?? ctx.receiver().urlOf(mailbox, behaviour),
    description: description ?? `${descriptionMark}: ${name}`,
  });
  expectThat(
    registered.status === 201,
    `201 for the registration of "${name}"`,
    `${registered.status} ${registered.text}`,
  );
  const id = textAt(registered.json, 'webhook', 'id');
  return { customer, id, mailbox, secret: textAt(registered.json, 'secret'), registered };
}

/** Deletes the endpoint and releases its slot. */
export async function closeEndpoint(ctx: Context, endpoint: Pick<Endpoint, 'customer' | 'id'>): Promise<Exchange> {
  const deleted = await callerOf(ctx, endpoint.customer).remove(pathOf(endpoint));
  ctx.slots[endpoint.customer].give();
  return deleted;
}

export function pathOf({ id }: { readonly id: string }): string {
  return `/v1/webhooks/${id}`;
}

/** Waits until a mailbox has received `count` POSTs. */
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

/** @throws Mismatch when there is no item at `index` */
export function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items.at(index);
  expectThat(item !== undefined, `an element at ${index}`, `${items.length} elements`);
  return item;
}
