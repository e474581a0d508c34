import { type Check, check, checkOf, checksOf, collected, groupsOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectListed, expectMembers, listAt, pluck, textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { engineProblems, itemsOfRun, journey } from '../scenarios/journey.ts';
import { creator, runItems, storedRun, storedRuns, storedTracker, trackerChanges } from '../scenarios/lists.ts';
import { is } from './fields.ts';
import { expectInvalid, expectNotFound, expectProblem, expectStatus } from './problems.ts';

const videos: readonly Check[] = [
  ...checksOf(creator, {
    "a creator's videos are answered 200": async (path, ctx) =>
      expectStatus(await ctx.customer.get(`${path}?limit=1`), 200),
    'the same handle on another platform is another creator': async (path, ctx) =>
      expectNotFound(await ctx.customer.get(path.replace('/tiktok/', '/youtube/'))),
  }),
  check('an unsupported platform answers unsupported_platform', [], async (ctx) =>
    expectProblem(await ctx.customer.get('/v1/creators/myspace/tom/videos'), 'unsupported_platform'),
  ),
  check('a creator without stored videos answers not_found', [], async (ctx) =>
    expectNotFound(await ctx.customer.get(`/v1/creators/instagram/nobody_${ctx.tag}/videos`)),
  ),
  checkOf("a creator's videos are the same when they are read again", creator, (path, ctx) =>
    expectSameAgain(ctx, `${path}?limit=3`, 'number of videos', 3),
  ),
];

async function expectSameAgain(ctx: Context, path: string, what: string, count: number): Promise<void> {
  const [first, second] = await Promise.all([ctx.customer.get(path), ctx.customer.get(path)]);
  expectEqual(what, listAt(first.json, 'items').length, count);
  expectEqual('items', at(second.json, 'items'), at(first.json, 'items'));
}

const items: readonly Check[] = [
  ...checksOf(runItems, {
    "a Run's items are answered 200": async (path, ctx) =>
      expectStatus(await ctx.customer.get(`${path}?type=videos`), 200),
    'type videos is the default': async (path, ctx) => {
      const named = await ctx.customer.get(`${path}?type=videos&limit=4`);
      const plain = await ctx.customer.get(`${path}?limit=4`);
      expectEqual('items', at(named.json, 'items'), at(plain.json, 'items'));
    },
    'another type is refused': async (path, ctx) => expectInvalid(await ctx.customer.get(`${path}?type=sounds`)),
  }),
  ...(['running', 'queued', 'failed'] as const).map((status) =>
    checkOf<{ path: string }>(
      `items of a ${status} Run answer run_not_ready`,
      storedRun[status],
      async ({ path }, ctx) => expectProblem(await ctx.customer.get(`${path}/items`), 'run_not_ready'),
    ),
  ),
  checkOf('items of a partial Run are served', storedRun.partial, async ({ path }, ctx) =>
    expectStatus(await ctx.customer.get(`${path}/items`), 200),
  ),
  checkOf('a completed Run without items is an empty page', storedRun.empty, async ({ path }, ctx) => {
    const page = await ctx.customer.get(`${path}/items`);
    expectStatus(page, 200);
    expectEqual('page', page.json, { items: [], next_cursor: null });
  }),
  checkOf("a Run's items are the same when they are read again", runItems, (path, ctx) =>
    expectSameAgain(ctx, `${path}?limit=100`, 'number of items', itemsOfRun),
  ),
];

const runs: readonly Check[] = [
  checkOf("the customer's Runs can be listed", storedRuns, async (path, ctx) => {
    const page = await ctx.customer.get(`${path}?limit=100`);
    expectStatus(page, 200);
    expectListed(page.json, (await journey(ctx)).completed.id);
  }),
  ...(['running', 'queued', 'completed', 'partial', 'failed'] as const).map((status) =>
    check(`a Run can be read as ${status}`, storedRun[status].needs, async (ctx) => {
      const { run, json } = await storedRun[status](ctx);
      expectMembers(json, { id: run.id, status, kind: run.kind, created_at: run.created_at });
    }),
  ),
  ...checksOf(storedRun.completed, {
    'a settled Run says what it cost and when it settled': ({ run, json }) => {
      expectMembers(json, { charge_usd: run.charge_usd });
      expectThat(is.timestamp(at(json, 'settled_at')), 'settled_at: a timestamp', show(json));
    },
    'a Run links to itself': ({ path, json }, ctx) => expectMembers(json, { 'links.run': ctx.config.url + path }),
  }),
  checkOf('a failed Run carries a problem document', storedRun.failed, ({ run, json }) => {
    const error = at(json, 'error');
    for (const name of ['code', 'status', 'detail']) {
      expectEqual(`error.${name}`, at(error, name), at(run.error, name));
    }
    expectThat(textAt(error, 'title') !== '', 'error.title', show(error));
    expectThat(textAt(error, 'type').endsWith('/errors/vendor_error'), 'error.type', show(error));
  }),
  checkOf('a partial Run carries a problem document for each missing item', storedRun.partial, ({ json }) => {
    const codes = listAt(json, 'problems').map((problem) => at(problem, 'code'));
    const wanted = engineProblems.map(({ code }) => code);
    expectEqual('codes', codes, wanted);
  }),
  checkOf('a Run does not exist for another customer', storedRun.completed, async ({ path }, ctx) =>
    expectNotFound(await ctx.other.get(path)),
  ),
];

const changes = collected(['intake'], async (ctx) => {
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
    "a Tracker's Change Reports can be listed": ({ newestFirst, json }) =>
      expectEqual('ids, newest first', pluck(json, 'id'), pluck({ items: newestFirst }, 'id')),
    'a Change Report names its Run': ({ newestFirst, json }) =>
      expectEqual('run ids', pluck(json, 'run_id'), pluck({ items: newestFirst }, 'run_id')),
  }),
];

export const storedResults = groupsOf('Endpoints', {
  'GET /v1/creators/{platform}/{handle}/videos': videos,
  'GET /v1/runs/{id}/items': items,
  'GET /v1/runs and one Run': runs,
  'GET /v1/trackers/{id} and its changes': trackers,
});
