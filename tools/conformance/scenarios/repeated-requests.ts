import { scenario } from '../harness/check.ts';
import type { Caller, RequestOptions } from '../harness/client.ts';
import { textAt } from '../harness/json.ts';
import { closeEndpoint, descriptionMark, pathOf } from './endpoint.ts';

/** Each POST twice with the same `Idempotency-Key`, as after a lost answer, and another request with the first key. */
export const repeatedRequests = scenario(['receiver'], async (ctx) => {
  const key = (name: string) => ({ 'idempotency-key': `${ctx.tag}-${name}` });
  const twice = async (path: string, name: string, options: RequestOptions = {}) => {
    const post = () => ctx.customer.send('POST', path, { ...options, headers: key(name) });
    return { first: await post(), again: await post() };
  };
  const post = (customer: Caller, headers: Readonly<Record<string, string>>, url: string) =>
    customer.send('POST', '/v1/webhooks', { headers, body: { url } });

  await ctx.slots.customer.take();
  const url = ctx.receiver().urlOf(`${ctx.tag}-repeated`);
  const body = { url, description: `${descriptionMark}: repeated` };
  const registered = await twice('/v1/webhooks', 'register', { body });
  const id = textAt(registered.first.json, 'webhook', 'id');
  const listed = await ctx.customer.get('/v1/webhooks?limit=100');
  const reused = await post(ctx.customer, key('register'), 'https://other.example.com/');
  const malformed = [];
  for (const text of ['two words', 'x'.repeat(256), 'schlüssel']) {
    malformed.push(await post(ctx.customer, { 'idempotency-key': text }, url));
  }
  const path = pathOf({ id });
  const rotated = await twice(`${path}/rotate`, 'rotate');
  const read = await ctx.customer.get(path);
  const test = textAt(registered.first.json, 'test_delivery', 'id');
  const replayed = await twice(`${path}/deliveries/${test}/replay`, 'replay');
  const sent = await twice(`${path}/examples`, 'example', { body: { type: 'run.completed' } });
  const deliveries = await ctx.customer.get(`${path}/deliveries`);
  await closeEndpoint(ctx, { customer: 'customer', id });
  const activity = await ctx.customer.get(`${path}/activity`);
  return { url, registered, listed, reused, malformed, rotated, read, replayed, sent, deliveries, activity };
});
