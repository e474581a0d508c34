import { scenario } from '../harness/check.ts';
import { type Exchange, headerOf } from '../harness/exchange.ts';
import type { Context } from '../harness/session.ts';

/** Requests per minute that the service admits for one credential. */
export const admittedPerMinute = 60;

const ask = (ctx: Context): Promise<Exchange> =>
  ctx.anonymous.send('GET', '/v1/webhooks?limit=1', {
    headers: { authorization: `Bearer ${ctx.config.limit_key}` },
    atOnce: true,
  });

/** One request more than a key may send, all at once. */
export const burst = scenario(['limit_key'], async (ctx) => {
  const responses = await Promise.all(Array.from({ length: admittedPerMinute + 1 }, () => ask(ctx)));
  const refused = responses.filter(({ status }) => status === 429);
  return { responses, refused };
});

/** The first request after the `Retry-After` time of a refusal. */
export const afterWaiting = scenario(['limit_key'], async (ctx) => {
  const { refused } = await burst(ctx);
  const [first] = refused;
  const seconds = Number(first === undefined ? Number.NaN : headerOf(first, 'retry-after'));
  if (first === undefined || !Number.isInteger(seconds) || seconds > 61) return undefined;
  const rest = first.respondedAt + seconds * 1_000 - ctx.now();
  await ctx.sleep(Math.max(0, rest));
  return await ask(ctx);
});
