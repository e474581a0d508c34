import { type Check, check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import type { Exchange } from '../harness/exchange.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers, listAt, pluck, textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import {
  creator,
  creatorWalk,
  history,
  historyWalk,
  itemsOf,
  lists,
  replayedDeliveries,
  videosOfWalk,
  walk,
} from '../scenarios/lists.ts';
import { cursors } from './cursors.ts';
import { expectInvalid, expectStatus } from './problems.ts';

const refusedLimits = ['0', '-1', '1.5', 'ten', '101', ''] as const;
const unusualLimits = ['1e1', '+5', '0x10', '%205', '1000000000000', 'null'] as const;

const limits: readonly Check[] = [
  ...lists.flatMap(({ name, path }) =>
    refusedLimits.map((value) =>
      checkOf(`the list of ${name} refuses limit=${value || '(empty)'}`, path, async (of, ctx) =>
        expectInvalid(await ctx.customer.get(`${of}?limit=${value}`)),
      ),
    ),
  ),
  ...unusualLimits.map((value) =>
    check(`limit=${value} is not a number`, [], async (ctx) =>
      expectInvalid(await ctx.customer.get(`/v1/webhooks?limit=${value}`)),
    ),
  ),
  check('a repeated limit is refused', [], async (ctx) =>
    expectInvalid(await ctx.customer.get('/v1/webhooks?limit=5&limit=5')),
  ),
  ...lists.map(({ name, path }) =>
    checkOf(`the list of ${name} accepts 1 and 100 as limit`, path, async (of, ctx) => {
      const at1 = await ctx.customer.get(`${of}?limit=1`);
      expectStatus(at1, 200);
      expectThat(listAt(at1.json, 'items').length <= 1, 'at most 1 item', show(at1.json));
      expectStatus(await ctx.customer.get(`${of}?limit=100`), 200);
    }),
  ),
];

const longLists = ['deliveries', "a creator's videos", "a Run's items"].flatMap((wanted) =>
  lists.filter(({ name }) => name === wanted),
);

const sizes: readonly Check[] = [
  ...longLists.map(({ name, path }) =>
    checkOf(`a page of ${name} has 25 records by default`, path, async (of, ctx) => {
      const page = await ctx.customer.get(of);
      expectEqual('records', listAt(page.json, 'items').length, 25);
      textAt(page.json, 'next_cursor');
    }),
  ),
  checkOf('a page has up to 100 records', creator, async (path, ctx) => {
    const page = await ctx.customer.get(`${path}?limit=100`);
    expectEqual('records', listAt(page.json, 'items').length, 100);
    textAt(page.json, 'next_cursor');
  }),
  checkOf('a page has no more records than its limit', history, async ({ path }, ctx) => {
    const page = await ctx.customer.get(`${path}?limit=7`);
    expectEqual('records', listAt(page.json, 'items').length, 7);
  }),
];

/** The page after the first one of the walk, read again with a limit, and as the walk saw it. */
async function secondPage(ctx: Context, pages: readonly Exchange[], limit: number) {
  const { path } = await history(ctx);
  const cursor = encodeURIComponent(textAt(pages[0]?.json, 'next_cursor'));
  const again = await ctx.customer.get(`${path}?limit=${limit}&cursor=${cursor}`);
  return { again: again.json, before: pages[1]?.json };
}

const walks: readonly Check[] = [
  ...checksOf(historyWalk, {
    'next_cursor is null on the last page': ({ pages }) => expectMembers(pages.at(-1)?.json, { next_cursor: null }),
    'next_cursor is a string while there are more records': ({ pages }) => {
      expectThat(pages.length >= 4, 'at least 4 pages', `${pages.length} pages`);
      for (const page of pages.slice(0, -1)) textAt(page.json, 'next_cursor');
    },
    'a walk visits every record': ({ ids, items }) => {
      const seen = new Set(items.map(({ id }) => id));
      const missing = ids.filter((id) => !seen.has(id));
      expectEqual('missing', missing, []);
      const isWhole = ids.length === replayedDeliveries;
      expectThat(isWhole, `${replayedDeliveries} deliveries made`, String(ids.length));
    },
    'a walk visits no record twice': ({ items }) => {
      const ids = items.map(({ id }) => String(id));
      const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
      expectEqual('twice', repeated, []);
    },
    'records inserted while walking are not in the walk': ({ inserted, items }) => {
      const seen = new Set(items.map(({ id }) => id));
      expectThat(inserted.length === 2, '2 records inserted', String(inserted.length));
      const found = inserted.filter((id) => seen.has(id));
      expectEqual('in the walk', found, []);
    },
  }),
  ...checksOf(creatorWalk, {
    'a video inserted while walking shifts nothing and is not in the walk': ({ items, newcomer }) => {
      const ids = items.map(({ id }) => id);
      expectEqual('videos', new Set(ids).size, videosOfWalk);
      expectEqual('videos in all', ids.length, videosOfWalk);
      expectThat(!ids.includes(at(newcomer, 'id')), 'a walk without the new video', 'it is there');
    },
    'a walk of full pages ends': ({ pages }) => {
      expectThat(pages.length <= 3, 'at most 3 pages of 40 for 80 videos', `${pages.length} pages`);
      expectMembers(pages.at(-1)?.json, { next_cursor: null });
    },
  }),
  ...checksOf(allSlotsTaken, {
    'a walk in pages of one record visits every record once': async ({ main, redirecting }, ctx) => {
      const ids = itemsOf(await walk(ctx.other, '/v1/webhooks', 'limit=1')).map(({ id }) => id);
      expectThat(new Set(ids).size === ids.length, 'every record once', show(ids));
      for (const { id } of [main, redirecting]) expectThat(ids.includes(id), `a walk with ${id}`, show(ids));
    },
  }),
  ...checksOf(historyWalk, {
    'a page can be read again with its cursor': async ({ pages }, ctx) => {
      const { again, before } = await secondPage(ctx, pages, 9);
      expectEqual('ids', pluck(again, 'id'), pluck(before, 'id'));
    },
    'a cursor can be used with another limit': async ({ pages }, ctx) => {
      const { again, before } = await secondPage(ctx, pages, 3);
      expectEqual('first id', at(again, 'items', 0, 'id'), at(before, 'items', 0, 'id'));
    },
  }),
];

function expectNewestFirst({ json }: Exchange, orderedBy: string): void {
  const times = pluck(json, orderedBy).map(String);
  expectThat(times.length > 1, 'a page with several records', show(json));
  expectEqual(orderedBy, times, times.toSorted().toReversed());
}

const order = lists.map(({ name, path, orderedBy }) => {
  const title = `the list of ${name} is newest first`;
  // The customer of the other lists may have no endpoints yet.
  return name === 'webhooks'
    ? checkOf(title, allSlotsTaken, async (_, ctx) =>
        expectNewestFirst(await ctx.other.get('/v1/webhooks?limit=100'), orderedBy),
      )
    : checkOf(title, path, async (of, ctx) => expectNewestFirst(await ctx.customer.get(`${of}?limit=100`), orderedBy));
});

export const paging = groupsOf('Paging rules', {
  limit: [...limits, ...sizes],
  walking: [...walks, ...order],
  cursor: cursors,
});
