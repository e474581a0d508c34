import { type Check, check, type Group } from '../harness/check.ts';
import type { Exchange } from '../harness/exchange.ts';
import { isSuccess } from '../harness/exchange.ts';
import { at, expectThat, isRecord, listAt, show } from '../harness/expect.ts';
import { lists } from '../scenarios/lists.ts';
import { everyAnswer, sampleSuccess } from './every-answer.ts';
import { expectStatus } from './problems.ts';

const listPath = /^\/v1\/(webhooks|runs|[^?]*\/(deliveries|items|changes|videos))(\?|$)/;

function isListPage(exchange: Exchange): boolean {
  return exchange.request.method === 'GET' && isSuccess(exchange) && listPath.test(exchange.request.path);
}

const uncounted = ['page', 'total', 'total_count', 'count', 'offset', 'total_pages', 'has_more'];

const rules: readonly Check[] = [
  everyAnswer({
    name: 'items of every page is an array of records',
    wanted: 'items: an array of objects',
    appliesTo: isListPage,
    fault: ({ json }) => {
      const items = at(json, 'items');
      return Array.isArray(items) && items.every(isRecord) ? null : `items ${show(items)}`;
    },
    sample: sampleSuccess,
  }),
  everyAnswer({
    name: 'next_cursor of every page is a string or null',
    wanted: 'next_cursor: a string that is not empty, or null',
    appliesTo: isListPage,
    fault: ({ json }) => {
      const cursor = at(json, 'next_cursor');
      const isCursor = cursor === null || (typeof cursor === 'string' && cursor !== '');
      return isCursor ? null : `next_cursor ${show(cursor)}`;
    },
    sample: sampleSuccess,
  }),
  everyAnswer({
    name: 'no page has a page number, a total count or an offset',
    wanted: 'items and next_cursor alone',
    appliesTo: isListPage,
    fault: ({ json }) => {
      const found = uncounted.filter((name) => at(json, name) !== undefined);
      return found.length === 0 ? null : `members ${found.join(', ')}`;
    },
    sample: sampleSuccess,
  }),
];

const perList = lists.map(({ name, needs, path }) =>
  check(`the list of ${name} answers items and next_cursor`, needs, async (ctx) => {
    const page = await ctx.customer.get(`${await path(ctx)}?limit=2`);
    expectStatus(page, 200);
    listAt(page.json, 'items');
    expectThat(at(page.json, 'next_cursor') !== undefined, 'next_cursor', show(page.json));
  }),
);

export const listPageFields: Group = {
  heading: 'Resources and their fields',
  section: 'List page',
  checks: [...perList, ...rules],
};
