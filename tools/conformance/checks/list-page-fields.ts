import { check, groupsOf } from '../harness/check.ts';
import { isSuccess } from '../harness/exchange.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at, isRecord, listAt } from '../harness/json.ts';
import { lists } from '../scenarios/lists.ts';
import { everyResponse, faultOfMember, type ResponseRule, successes } from './every-response.ts';
import { expectStatus } from './problems.ts';

const listPath = /^\/v1\/(webhooks|runs|[^?]*\/(deliveries|items|changes|videos))(\?|$)/;

const listPages = successes(
  (exchange) =>
    exchange.request.method === 'GET' && isSuccess(exchange) && listPath.test(exchange.request.path),
);

const uncounted = ['page', 'total', 'total_count', 'count', 'offset', 'total_pages', 'has_more'];

const rules: readonly ResponseRule[] = [
  {
    name: 'items of every page is an array of records',
    wanted: 'items: an array of objects',
    fault: faultOfMember('items', (items) => Array.isArray(items) && items.every(isRecord)),
  },
  {
    name: 'next_cursor of every page is a string or null',
    wanted: 'next_cursor: a string that is not empty, or null',
    fault: faultOfMember(
      'next_cursor',
      (cursor) => cursor === null || (typeof cursor === 'string' && cursor !== ''),
    ),
  },
  {
    name: 'no page has a page number, a total count or an offset',
    wanted: 'items and next_cursor alone',
    fault: ({ json }) => {
      const found = uncounted.filter((name) => at(json, name) !== undefined);
      return found.length === 0 ? null : `members ${found.join(', ')}`;
    },
  },
];

const perList = lists.map(({ name, needs, path }) =>
  check(`the list of ${name} answers items and next_cursor`, needs, async (ctx) => {
    const page = await ctx.customer.get(`${await path(ctx)}?limit=2`);
    expectStatus(page, 200);
    listAt(page.json, 'items');
    expectThat(at(page.json, 'next_cursor') !== undefined, 'next_cursor', show(page.json));
  }),
);

export const listPageFields = groupsOf('Resources and their fields', {
  'List page': [...perList, ...rules.map((rule) => everyResponse(listPages, rule))],
});
