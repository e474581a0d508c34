import { scenario } from '../harness/check.ts';
import { type Exchange, headerOf } from '../harness/exchange.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';

/** Requests per minute that the service admits for one credential. */
export const admittedPerMinute = 60;

/** A request that is not repeated when it is refused. */
const ask = (ctx: Context, key = ctx.config.limit_key): Promise<Exchange> =>
  ctx.anonymous.send('GET', '/v1/webhooks?limit=1', { headers: { authorization: `Bearer ${key}` }, atOnce: true });

/** One request more than a key may send, all at once; and one of another key, before and after it. */
export const burst = scenario(['limit_key'], async (ctx) => {
  const [other] = ctx.config.keys;
  // An earlier run may have used up the limit of the other key.
  const look = async () => ((await ask(ctx, other)).status === 200 ? true : undefined);
  await until(ctx, 'a request of another key that is admitted', look, { seconds: 61, everyMs: 5_000 });
  const responses = await Promise.all(Array.from({ length: admittedPerMinute + 1 }, () => ask(ctx)));
  const ofOther = await ask(ctx, other);
  const refused = responses.filter(({ status }) => status === 429);
  return { responses, refused, ofOther };
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
