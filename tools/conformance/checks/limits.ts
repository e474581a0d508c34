import { type Check, check, type Group } from '../harness/check.ts';
import { type Exchange, headerOf, isSuccess } from '../harness/exchange.ts';
import { at, expectEqual, expectThat, show, textAt } from '../harness/expect.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { admittedPerMinute, afterWaiting, burst } from '../scenarios/burst.ts';
import { nth } from '../scenarios/endpoint.ts';
import { everyAnswer, sampleSuccess } from './every-answer.ts';
import { expectProblem, expectStatus } from './problems.ts';

const needs = ['limit-key'] as const;

/** Responses to requests that counted towards the limit of a credential. */
function isCounted(exchange: Exchange): boolean {
  return exchange.request.by !== 'none' && isSuccess(exchange);
}

const rate: readonly Check[] = [
  {
    name: 'of 61 requests at once on one key exactly 60 are admitted',
    needs,
    phase: 'first',
    run: async (ctx) => {
      const { answers, refused } = await burst(ctx);
      const admitted = answers.filter(({ status }) => status === 200).length;
      expectEqual('admitted and refused', [admitted, refused.length], [admittedPerMinute, 1]);
    },
  },
  check('the excess answers 429 rate_limit_exceeded', needs, async (ctx) => {
    expectProblem(nth((await burst(ctx)).refused, 0), 429, 'rate_limit_exceeded');
  }),
  check('Retry-After is a whole number of seconds within a minute', needs, async (ctx) => {
    const value = headerOf(nth((await burst(ctx)).refused, 0), 'retry-after') ?? '';
    const seconds = Number(value);
    expectThat(/^\d+$/.test(value) && seconds >= 1 && seconds <= 60, '1 to 60', show(value));
  }),
  check('the refusal names the limit of requests per minute', needs, async (ctx) => {
    expectEqual('limit', at(nth((await burst(ctx)).refused, 0).json, 'limit'), admittedPerMinute);
  }),
  check('the detail of a refusal names the seconds of Retry-After', needs, async (ctx) => {
    const refused = nth((await burst(ctx)).refused, 0);
    const seconds = headerOf(refused, 'retry-after') ?? '';
    const detail = textAt(refused.json, 'detail');
    expectThat(new RegExp(`\\b${seconds} seconds?\\b`).test(detail), `${seconds} seconds`, detail);
  }),
  check('after Retry-After the next request is admitted', needs, async (ctx) => {
    const answer = await afterWaiting(ctx);
    expectThat(answer !== undefined, 'a refusal with Retry-After', 'none');
    expectStatus(answer, 200);
  }),
  check('each key has its own limit', needs, async (ctx) => {
    await burst(ctx);
    expectStatus(await ctx.customer.get('/v1/webhooks?limit=1'), 200);
  }),
  everyAnswer({
    name: 'every answer of a credential carries RateLimit-Policy and RateLimit',
    wanted: 'RateLimit-Policy and RateLimit',
    appliesTo: isCounted,
    fault: (exchange) => {
      const absent = ['ratelimit-policy', 'ratelimit'].filter((name) => !exchange.headers.has(name));
      return absent.length === 0 ? null : `no ${absent.join(' and no ')}`;
    },
    sample: sampleSuccess,
  }),
  everyAnswer({
    name: 'RateLimit-Policy says 60 in 60 seconds',
    wanted: 'q=60 and w=60',
    appliesTo: isCounted,
    fault: (exchange) => {
      const value = headerOf(exchange, 'ratelimit-policy') ?? '';
      return /;\s*q=60\b/.test(value) && /;\s*w=60\b/.test(value) ? null : `RateLimit-Policy ${show(value)}`;
    },
    sample: sampleSuccess,
  }),
];

const endpoints: readonly Check[] = [
  check('a customer may hold 5 endpoints', ['receiver'], async (ctx) => {
    const { main, redirecting, failed, timely, cutting } = await allSlotsTaken(ctx);
    const ids = [main, redirecting, failed, timely, cutting].map(({ id }) => id);
    expectEqual('different endpoints', new Set(ids).size, 5);
  }),
  check('the sixth is refused with 409', ['receiver'], async (ctx) => {
    const { refused } = await allSlotsTaken(ctx);
    expectProblem(refused, 409, 'webhook_limit_exceeded');
  }),
];

const group = (section: string, checks: readonly Check[]): Group => ({ heading: 'Limits', section, checks });

export const limits: readonly Group[] = [group('Request rate', rate), group('Webhook endpoints', endpoints)];
