import { type Check, check, checkOf, checksOf, collected, groupsOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectListed, expectMembers, listAt, pluck, textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { engineProblems, itemsOfRun, journey } from '../scenarios/journey.ts';
import { creator, runItems, storedRun, storedRuns, storedTracker, trackerChanges } from '../scenarios/lists.ts';
import { is } from './fields.ts';
import { expectInvalid, expectNotFound, expectProblem, expectStatus } from './problems.ts';

const needs = ['intake'] as const;

const videos: readonly Check[] = [
  check("a creator's videos are answered 200", needs, async (ctx) =>
    expectStatus(await ctx.customer.get(`${await creator(ctx)}?limit=1`), 200),
  ),
  check('the same handle on another platform is another creator', needs, async (ctx) => {
    const path = (await creator(ctx)).replace('/tiktok/', '/youtube/');
    expectNotFound(await ctx.customer.get(path));
  }),
  check('an unsupported platform answers unsupported_platform', [], async (ctx) => {
    const refused = await ctx.customer.get('/v1/creators/myspace/tom/videos');
    expectProblem(refused, 'unsupported_platform');
  }),
  check('a creator without stored videos answers not_found', [], async (ctx) =>
    expectNotFound(await ctx.customer.get(`/v1/creators/instagram/nobody_${ctx.tag}/videos`)),
  ),
  check("a creator's videos are the same when they are read again", needs, async (ctx) =>
    expectSameAgain(ctx, `${await creator(ctx)}?limit=3`, 'number of videos', 3),
  ),
];

async function expectSameAgain(ctx: Context, path: string, what: string, count: number): Promise<void> {
  const [first, second] = await Promise.all([ctx.customer.get(path), ctx.customer.get(path)]);
  expectEqual(what, listAt(first.json, 'items').length, count);
  expectEqual('items', at(second.json, 'items'), at(first.json, 'items'));
}

const items: readonly Check[] = [
  check("a Run's items are answered 200", needs, async (ctx) =>
    expectStatus(await ctx.customer.get(`${await runItems(ctx)}?type=videos`), 200),
  ),
  check('type videos is the default', needs, async (ctx) => {
    const path = await runItems(ctx);
    const [named, plain] = await Promise.all([
      ctx.customer.get(`${path}?type=videos&limit=4`),
      ctx.customer.get(`${path}?limit=4`),
    ]);
    expectEqual('items', at(named.json, 'items'), at(plain.json, 'items'));
  }),
  check('another type is refused', needs, async (ctx) =>
    expectInvalid(await ctx.customer.get(`${await runItems(ctx)}?type=sounds`)),
  ),
  ...(['running', 'queued', 'failed'] as const).map((status) =>
    check(`items of a ${status} Run answer run_not_ready`, needs, async (ctx) => {
      const { path } = await storedRun(ctx, status);
      expectProblem(await ctx.customer.get(`${path}/items`), 'run_not_ready');
    }),
  ),
  check('items of a partial Run are served', needs, async (ctx) => {
    const { path } = await storedRun(ctx, 'partial');
    expectStatus(await ctx.customer.get(`${path}/items`), 200);
  }),
  check('a completed Run without items is an empty page', needs, async (ctx) => {
    const { path } = await storedRun(ctx, 'empty');
    const page = await ctx.customer.get(`${path}/items`);
    expectStatus(page, 200);
    expectEqual('page', page.json, { items: [], next_cursor: null });
  }),
  check("a Run's items are the same when they are read again", needs, async (ctx) =>
    expectSameAgain(ctx, `${await runItems(ctx)}?limit=100`, 'number of items', itemsOfRun),
  ),
];

const completedRun = collected(needs, (ctx) => storedRun(ctx, 'completed'));

const runs: readonly Check[] = [
  check("the customer's Runs can be listed", needs, async (ctx) => {
    const page = await ctx.customer.get(`${await storedRuns(ctx)}?limit=100`);
    expectStatus(page, 200);
    expectListed(page.json, (await journey(ctx)).completed.id);
  }),
  ...(['running', 'queued', 'completed', 'partial', 'failed'] as const).map((status) =>
    check(`a Run can be read as ${status}`, needs, async (ctx) => {
      const { run, json } = await storedRun(ctx, status);
      expectMembers(json, { id: run.id, status, kind: run.kind, created_at: run.created_at });
    }),
  ),
  ...checksOf(completedRun, {
    'a settled Run says what it cost and when it settled': ({ run, json }) => {
      expectMembers(json, { charge_usd: run.charge_usd });
      expectThat(is.timestamp(at(json, 'settled_at')), 'settled_at: a timestamp', show(json));
    },
    'a Run links to itself': ({ path, json }, ctx) => expectMembers(json, { 'links.run': ctx.config.url + path }),
  }),
  check('a failed Run carries a problem document', needs, async (ctx) => {
    const { run, json } = await storedRun(ctx, 'failed');
    const error = at(json, 'error');
    for (const name of ['code', 'status', 'detail']) {
      expectEqual(`error.${name}`, at(error, name), at(run.error, name));
    }
    expectThat(textAt(error, 'title') !== '', 'error.title', show(error));
    expectThat(textAt(error, 'type').endsWith('/errors/vendor_error'), 'error.type', show(error));
  }),
  check('a partial Run carries a problem document for each missing item', needs, async (ctx) => {
    const { json } = await storedRun(ctx, 'partial');
    const codes = listAt(json, 'problems').map((problem) => at(problem, 'code'));
    const wanted = engineProblems.map(({ code }) => code);
    expectEqual('codes', codes, wanted);
  }),
  checkOf('a Run does not exist for another customer', completedRun, async ({ path }, ctx) =>
    expectNotFound(await ctx.other.get(path)),
  ),
];

const changes = collected(needs, async (ctx) => {
  const { reports } = await journey(ctx);
  const { json } = await ctx.customer.get(await trackerChanges(ctx));
  return { newestFirst: reports.toReversed(), json };
});

const trackers: readonly Check[] = [
  ...checksOf(storedTracker, {
    'a Tracker can be read': ({ tracker, json }) => expectMembers(json, tracker),
    'a Tracker links to itself and its changes': ({ path, json }, ctx) => {
      const address = ctx.config.url + path;
      expectMembers(json, { 'links.tracker': address, 'links.changes': `${address}/changes` });
    },
  }),
  ...checksOf(changes, {
    "a Tracker's Change Reports can be listed": ({ newestFirst, json }) => {
      const wanted = newestFirst.map(({ id }) => id);
      expectEqual('ids, newest first', pluck(json, 'id'), wanted);
    },
    'a Change Report names its Run': ({ newestFirst, json }) => {
      const wanted = newestFirst.map(({ run_id }) => run_id);
      expectEqual('run ids', pluck(json, 'run_id'), wanted);
    },
  }),
];

export const storedResults = groupsOf('Endpoints', {
  'GET /v1/creators/{platform}/{handle}/videos': videos,
  'GET /v1/runs/{id}/items': items,
  'GET /v1/runs and one Run': runs,
  'GET /v1/trackers/{id} and its changes': trackers,
});
