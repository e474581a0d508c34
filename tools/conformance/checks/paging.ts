import { type Check, check, checksOf, type Group, type Need } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { at, expectEqual, expectThat, isSortedDescending, listAt, show, textAt } from '../harness/expect.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import {
  creator,
  creatorWalk,
  history,
  historyWalk,
  itemsOf,
  type List,
  lists,
  replayedDeliveries,
  runItems,
  videosOfWalk,
  walk,
} from '../scenarios/lists.ts';
import { cursors } from './cursors.ts';
import { expectProblem, expectStatus } from './problems.ts';

const refusedLimits = ['0', '-1', '1.5', 'ten', '101', ''] as const;
const unusualLimits = ['1e1', '+5', '0x10', '%205', '1000000000000', 'null'] as const;

type LimitCase = { readonly list: List; readonly value: string };

const limitCases: readonly LimitCase[] = lists.flatMap((list) =>
  refusedLimits.map((value) => ({ list, value })),
);

const limits: readonly Check[] = [
  ...limitCases.map(({ list, value }) =>
    check(`the list of ${list.name} refuses limit=${value || '(empty)'}`, list.needs, async (ctx) => {
      const refused = await ctx.customer.get(`${await list.path(ctx)}?limit=${value}`);
      expectProblem(refused, 400, 'invalid_request');
    }),
  ),
  ...checksOf(
    unusualLimits,
    [],
    (value) => `limit=${value} is not a number`,
    async (ctx, value) =>
      expectProblem(await ctx.customer.get(`/v1/webhooks?limit=${value}`), 400, 'invalid_request'),
  ),
  check('a repeated limit is refused', [], async (ctx) => {
    expectProblem(await ctx.customer.get('/v1/webhooks?limit=5&limit=5'), 400, 'invalid_request');
  }),
  ...lists.map(({ name, needs, path }) =>
    check(`the list of ${name} accepts 1 and 100 as limit`, needs, async (ctx) => {
      const at1 = await ctx.customer.get(`${await path(ctx)}?limit=1`);
      expectStatus(at1, 200);
      expectThat(listAt(at1.json, 'items').length <= 1, 'at most 1 item', show(at1.json));
      expectStatus(await ctx.customer.get(`${await path(ctx)}?limit=100`), 200);
    }),
  ),
];

type SizeCase = {
  readonly name: string;
  readonly needs: readonly Need[];
  readonly path: (ctx: Context) => Promise<string>;
};

const longLists: readonly SizeCase[] = [
  { name: 'deliveries', needs: ['receiver'], path: async (ctx) => (await history(ctx)).path },
  { name: "a creator's videos", needs: ['intake'], path: creator },
  { name: "a Run's items", needs: ['intake'], path: runItems },
];

const sizes: readonly Check[] = [
  ...longLists.map(({ name, needs, path }) =>
    check(`a page of ${name} has 25 records by default`, needs, async (ctx) => {
      const page = await ctx.customer.get(await path(ctx));
      expectEqual('records', listAt(page.json, 'items').length, 25);
      textAt(page.json, 'next_cursor');
    }),
  ),
  check('a page has up to 100 records', ['intake'], async (ctx) => {
    const page = await ctx.customer.get(`${await creator(ctx)}?limit=100`);
    expectEqual('records', listAt(page.json, 'items').length, 100);
    textAt(page.json, 'next_cursor');
  }),
  check('a page has no more records than its limit', ['receiver'], async (ctx) => {
    const { path } = await history(ctx);
    const page = await ctx.customer.get(`${path}?limit=7`);
    expectEqual('records', listAt(page.json, 'items').length, 7);
  }),
];

const walks: readonly Check[] = [
  check('next_cursor is null on the last page', ['receiver'], async (ctx) => {
    const { pages } = await historyWalk(ctx);
    expectEqual('next_cursor', at(pages.at(-1)?.json, 'next_cursor'), null);
  }),
  check('next_cursor is a string while there are more records', ['receiver'], async (ctx) => {
    const { pages } = await historyWalk(ctx);
    expectThat(pages.length >= 4, 'at least 4 pages', `${pages.length} pages`);
    for (const page of pages.slice(0, -1)) textAt(page.json, 'next_cursor');
  }),
  check('a walk visits every record', ['receiver'], async (ctx) => {
    const { ids, items } = await historyWalk(ctx);
    const seen = new Set(items.map(({ id }) => id));
    expectEqual(
      'missing',
      ids.filter((id) => !seen.has(id)),
      [],
    );
    expectThat(
      ids.length === replayedDeliveries,
      `${replayedDeliveries} deliveries made`,
      String(ids.length),
    );
  }),
  check('a walk visits no record twice', ['receiver'], async (ctx) => {
    const { items } = await historyWalk(ctx);
    const ids = items.map(({ id }) => String(id));
    expectEqual(
      'twice',
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  }),
  check('records inserted while walking are not in the walk', ['receiver'], async (ctx) => {
    const { inserted, items } = await historyWalk(ctx);
    const seen = new Set(items.map(({ id }) => id));
    expectThat(inserted.length === 2, '2 records inserted', String(inserted.length));
    expectEqual(
      'in the walk',
      inserted.filter((id) => seen.has(id)),
      [],
    );
  }),
  check('a video inserted while walking shifts nothing and is not in the walk', ['intake'], async (ctx) => {
    const { items, newcomer } = await creatorWalk(ctx);
    const ids = items.map(({ id }) => id);
    expectEqual('videos', new Set(ids).size, videosOfWalk);
    expectEqual('videos in all', ids.length, videosOfWalk);
    expectThat(!ids.includes(at(newcomer, 'id')), 'a walk without the new video', 'it is there');
  }),
  check('a walk of full pages ends', ['intake'], async (ctx) => {
    const { pages } = await creatorWalk(ctx);
    const last = pages.at(-1);
    expectThat(pages.length <= 3, 'at most 3 pages of 40 for 80 videos', `${pages.length} pages`);
    expectEqual('next_cursor', at(last?.json, 'next_cursor'), null);
  }),
  check('a walk in pages of one record visits every record once', ['receiver'], async (ctx) => {
    const { main, redirecting } = await allSlotsTaken(ctx);
    const ids = itemsOf(await walk(ctx.other, '/v1/webhooks', 'limit=1')).map(({ id }) => id);
    expectThat(new Set(ids).size === ids.length, 'every record once', show(ids));
    for (const { id } of [main, redirecting]) expectThat(ids.includes(id), `a walk with ${id}`, show(ids));
  }),
  check('a page can be read again with its cursor', ['receiver'], async (ctx) => {
    const { pages } = await historyWalk(ctx);
    const { path } = await history(ctx);
    const cursor = encodeURIComponent(textAt(pages[0]?.json, 'next_cursor'));
    const again = await ctx.customer.get(`${path}?limit=9&cursor=${cursor}`);
    const ids = (json: unknown) => listAt(json, 'items').map((item) => at(item, 'id'));
    expectEqual('ids', ids(again.json), ids(pages[1]?.json));
  }),
  check('a cursor can be used with another limit', ['receiver'], async (ctx) => {
    const { pages } = await historyWalk(ctx);
    const { path } = await history(ctx);
    const cursor = encodeURIComponent(textAt(pages[0]?.json, 'next_cursor'));
    const page = await ctx.customer.get(`${path}?limit=3&cursor=${cursor}`);
    expectEqual('first id', at(page.json, 'items', 0, 'id'), at(pages[1]?.json, 'items', 0, 'id'));
  }),
];

const order: readonly Check[] = lists.map(({ name, needs, path, orderedBy }) =>
  check(`the list of ${name} is newest first`, needs, async (ctx) => {
    const page = await ctx.customer.get(`${await path(ctx)}?limit=100`);
    const times = listAt(page.json, 'items').map((item) => String(at(item, orderedBy)));
    expectThat(isSortedDescending(times), `${orderedBy} falling`, show(times));
  }),
);

const group = (section: string, checks: readonly Check[]): Group => ({
  heading: 'Paging rules',
  section,
  checks,
});

export const paging: readonly Group[] = [
  group('limit', [...limits, ...sizes]),
  group('walking', [...walks, ...order]),
  group('cursor', cursors),
];
