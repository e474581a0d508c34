import { serviceHeader } from '../checks/verify.ts';
import { scenario } from '../harness/check.ts';
import { expectThat } from '../harness/expect.ts';
import { at, textAt } from '../harness/json.ts';
import { type Received, readInbox } from '../harness/receiver.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';
import { hasEnded, newestDeliveries, readDelivery } from './deliveries.ts';
import { closeEndpoint, type Endpoint, openEndpoint } from './endpoint.ts';
import { settledRun } from './messages.ts';

/** One event that is delivered to an address on the internet; what arrived there, if an inbox shows it. */
export const publicReceiver = scenario(['plain_receiver', 'intake'], async (ctx) => {
  const { url = '', inbox_url, wait_seconds: seconds = 0 } = ctx.config.plain_receiver ?? {};
  const endpoint = await openEndpoint(ctx, 'customer', 'public', { url });
  const test = at(endpoint.registered.json, 'test_delivery');
  const reason = `the handshake with ${url} failed: ${at(test, 'error')}`;
  expectThat(at(endpoint.registered.json, 'webhook', 'status') === 'active', 'an active endpoint', reason);
  const delivery = await deliveredEvent(ctx, endpoint, seconds);
  const events = [textAt(test, 'event_id'), textAt(delivery, 'event_id')];
  const posts = inbox_url === undefined ? [] : await postsOf(ctx, { url, inbox_url, seconds }, events);
  const deleted = await closeEndpoint(ctx, endpoint);
  return { endpoint, delivery, posts, deleted };
});

/** Waits for the end of the first attempt: the next one is ten minutes away. */
async function deliveredEvent(ctx: Context, endpoint: Endpoint, seconds: number): Promise<unknown> {
  const run = settledRun(ctx, 'completed');
  await ctx.intake().put({ type: 'run.settled', customer_id: ctx.intake().customerId, run });
  const look = async () => {
    const found = (await newestDeliveries(ctx, endpoint)).find((delivery) => at(delivery, 'run_id') === run.id);
    return hasEnded(found) || at(found, 'error') !== null ? found : undefined;
  };
  const found = await until(ctx, 'the end of the first attempt', look, { seconds, everyMs: 300 });
  return (await readDelivery(ctx, endpoint, textAt(found, 'id'))).json;
}

type Place = { readonly url: string; readonly inbox_url: string; readonly seconds: number };

/** Waits until a POST of each event is there. */
async function postsOf(ctx: Context, { url, inbox_url, seconds }: Place, eventIds: readonly string[]) {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const look = async (): Promise<readonly Received[] | undefined> => {
    const all = await readInbox(inbox_url, name);
    const posts = eventIds.flatMap((id) => all.find((post) => serviceHeader(post, 'event-id') === id) ?? []);
    return posts.length === eventIds.length ? posts : undefined;
  };
  return await until(ctx, `a POST of each event in ${inbox_url}`, look, { seconds, everyMs: 300 });
}
