import { type Check, checkOf, checksOf, collected, groupsOf } from '../harness/check.ts';
import { headerOf, isSuccess } from '../harness/exchange.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { expectMembers, textAt } from '../harness/json.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { admittedPerMinute, afterWaiting, burst } from '../scenarios/burst.ts';
import { nth } from '../scenarios/endpoint.ts';
import { everyResponse, faultOf, header, successes } from './every-response.ts';
import { expectProblem, expectStatus } from './problems.ts';

/** Responses to requests that counted towards the limit of a credential. */
const counted = successes((exchange) => exchange.request.by !== 'none' && isSuccess(exchange));

/** The refused request of the burst. */
const firstRefused = collected(burst.needs, async (ctx) => nth((await burst(ctx)).refused, 0));

const rate: readonly Check[] = [
  {
    name: 'of 61 requests at once on one key exactly 60 are admitted',
    needs: burst.needs,
    phase: 'first',
    run: async (ctx) => {
      const { responses, refused } = await burst(ctx);
      const admitted = responses.filter(({ status }) => status === 200).length;
      expectEqual('admitted and refused', [admitted, refused.length], [admittedPerMinute, 1]);
    },
  },
  ...checksOf(firstRefused, {
    'the excess answers 429 rate_limit_exceeded': (refused) => expectProblem(refused, 'rate_limit_exceeded'),
    'Retry-After is a whole number of seconds within a minute': (refused) => {
      const value = headerOf(refused, 'retry-after') ?? '';
      const seconds = Number(value);
      expectThat(/^\d+$/.test(value) && seconds >= 1 && seconds <= 60, '1 to 60', show(value));
    },
    'the refusal names the limit of requests per minute': (refused) =>
      expectMembers(refused.json, { limit: admittedPerMinute }),
    'the detail of a refusal names the seconds of Retry-After': (refused) => {
      const seconds = headerOf(refused, 'retry-after') ?? '';
      const detail = textAt(refused.json, 'detail');
      expectThat(new RegExp(`\\b${seconds} seconds?\\b`).test(detail), `${seconds} seconds`, detail);
    },
  }),
  checkOf('after Retry-After the next request is admitted', afterWaiting, (response) => {
    expectThat(response !== undefined, 'a refusal with Retry-After', 'none');
    expectStatus(response, 200);
  }),
  checkOf('each key has its own limit', burst, ({ ofOther }) => expectStatus(ofOther, 200)),
  everyResponse(counted, {
    name: 'every answer of a credential carries RateLimit-Policy and RateLimit',
    wanted: 'RateLimit-Policy and RateLimit',
    fault: (exchange) => {
      const absent = ['ratelimit-policy', 'ratelimit'].filter((name) => !exchange.headers.has(name));
      return absent.length === 0 ? null : `no ${absent.join(' and no ')}`;
    },
  }),
  everyResponse(counted, {
    name: 'RateLimit-Policy says 60 in 60 seconds',
    wanted: 'q=60 and w=60',
    fault: faultOf(
      'RateLimit-Policy',
      header('ratelimit-policy'),
      (value) => /;\s*q=60\b/.test(value) && /;\s*w=60\b/.test(value),
    ),
  }),
];

const endpoints = checksOf(allSlotsTaken, {
  'a customer may hold 5 endpoints': ({ main, redirecting, failed, timely, cutting }) => {
    const ids = [main, redirecting, failed, timely, cutting].map(({ id }) => id);
    expectEqual('different endpoints', new Set(ids).size, 5);
  },
  'the sixth is refused with 409': ({ refused }) => expectProblem(refused, 'webhook_limit_exceeded'),
});

export const limits = groupsOf('Limits', { 'Request rate': rate, 'Webhook endpoints': endpoints });
