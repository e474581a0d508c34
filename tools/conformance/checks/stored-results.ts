import { type Check, check, type Group } from '../harness/check.ts';
import { at, expectEqual, expectThat, listAt, show, textAt } from '../harness/expect.ts';
import { engineProblems, itemsOfRun, journey } from '../scenarios/journey.ts';
import { creator, isThere, runItems, runsPath, storedRuns, trackerChanges } from '../scenarios/lists.ts';
import { isTimestamp } from './fields.ts';
import { expectProblem, expectStatus } from './problems.ts';

const needs = ['intake'] as const;

const videos: readonly Check[] = [
  check("a creator's videos are answered 200", needs, async (ctx) => {
    expectStatus(await ctx.customer.get(`${await creator(ctx)}?limit=1`), 200);
  }),
  check('the same handle on another platform is another creator', needs, async (ctx) => {
    const path = (await creator(ctx)).replace('/tiktok/', '/youtube/');
    expectProblem(await ctx.customer.get(path), 404, 'not_found');
  }),
  check('an unsupported platform answers unsupported_platform', [], async (ctx) => {
    const refused = await ctx.customer.get('/v1/creators/myspace/tom/videos');
    expectProblem(refused, 400, 'unsupported_platform');
  }),
  check('a creator without stored videos answers not_found', [], async (ctx) => {
    const read = await ctx.customer.get(`/v1/creators/instagram/nobody_${ctx.tag}/videos`);
    expectProblem(read, 404, 'not_found');
  }),
  check("a creator's videos are the same when they are read again", needs, async (ctx) => {
    const path = `${await creator(ctx)}?limit=3`;
    const [first, second] = await Promise.all([ctx.customer.get(path), ctx.customer.get(path)]);
    expectEqual('number of videos', listAt(first.json, 'items').length, 3);
    expectEqual('items', at(second.json, 'items'), at(first.json, 'items'));
  }),
];

const items: readonly Check[] = [
  check("a Run's items are answered 200", needs, async (ctx) => {
    expectStatus(await ctx.customer.get(`${await runItems(ctx)}?type=videos`), 200);
  }),
  check('type videos is the default', needs, async (ctx) => {
    const path = await runItems(ctx);
    const [named, plain] = await Promise.all([
      ctx.customer.get(`${path}?type=videos&limit=4`),
      ctx.customer.get(`${path}?limit=4`),
    ]);
    expectEqual('items', at(named.json, 'items'), at(plain.json, 'items'));
  }),
  check('another type is refused', needs, async (ctx) => {
    expectProblem(await ctx.customer.get(`${await runItems(ctx)}?type=sounds`), 400, 'invalid_request');
  }),
  check('items of a running Run answer run_not_ready', needs, async (ctx) => {
    const { running } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${running.id}`);
    expectProblem(await ctx.customer.get(`${runsPath}/${running.id}/items`), 409, 'run_not_ready');
  }),
  check('items of a queued Run answer run_not_ready', needs, async (ctx) => {
    const { queued } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${queued.id}`);
    expectProblem(await ctx.customer.get(`${runsPath}/${queued.id}/items`), 409, 'run_not_ready');
  }),
  check('items of a failed Run answer run_not_ready', needs, async (ctx) => {
    const { failed } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${failed.id}`);
    expectProblem(await ctx.customer.get(`${runsPath}/${failed.id}/items`), 409, 'run_not_ready');
  }),
  check('items of a partial Run are served', needs, async (ctx) => {
    const { partial } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${partial.id}`);
    expectStatus(await ctx.customer.get(`${runsPath}/${partial.id}/items`), 200);
  }),
  check('a completed Run without items is an empty page', needs, async (ctx) => {
    const { empty } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${empty.id}`);
    const page = await ctx.customer.get(`${runsPath}/${empty.id}/items`);
    expectStatus(page, 200);
    expectEqual('page', page.json, { items: [], next_cursor: null });
  }),
  check("a Run's items are the same when they are read again", needs, async (ctx) => {
    const path = `${await runItems(ctx)}?limit=100`;
    const [first, second] = await Promise.all([ctx.customer.get(path), ctx.customer.get(path)]);
    expectEqual('number of items', listAt(first.json, 'items').length, itemsOfRun);
    expectEqual('items', at(second.json, 'items'), at(first.json, 'items'));
  }),
];

const runs: readonly Check[] = [
  check("the customer's Runs can be listed", needs, async (ctx) => {
    const page = await ctx.customer.get(`${await storedRuns(ctx)}?limit=100`);
    expectStatus(page, 200);
    const { completed } = await journey(ctx);
    const ids = listAt(page.json, 'items').map((run) => at(run, 'id'));
    expectThat(ids.includes(completed.id), `a list with ${completed.id}`, show(ids));
  }),
  ...(['running', 'queued', 'completed', 'partial', 'failed'] as const).map((status) =>
    check(`a Run can be read as ${status}`, needs, async (ctx) => {
      const run = (await journey(ctx))[status];
      const { json } = await isThere(ctx, `${runsPath}/${run.id}`);
      expectEqual('id', at(json, 'id'), run.id);
      expectEqual('status', at(json, 'status'), status);
      expectEqual('kind', at(json, 'kind'), run.kind);
      expectEqual('created_at', at(json, 'created_at'), run.created_at);
    }),
  ),
  check('a settled Run says what it cost and when it settled', needs, async (ctx) => {
    const { completed } = await journey(ctx);
    const { json } = await isThere(ctx, `${runsPath}/${completed.id}`);
    expectEqual('charge_usd', at(json, 'charge_usd'), completed.charge_usd);
    expectThat(isTimestamp(at(json, 'settled_at')), 'settled_at: a timestamp', show(json));
  }),
  check('a Run links to itself', needs, async (ctx) => {
    const { completed } = await journey(ctx);
    const { json } = await isThere(ctx, `${runsPath}/${completed.id}`);
    expectEqual('links.run', at(json, 'links', 'run'), `${ctx.config.url}${runsPath}/${completed.id}`);
  }),
  check('a failed Run carries a problem document', needs, async (ctx) => {
    const { failed } = await journey(ctx);
    const { json } = await isThere(ctx, `${runsPath}/${failed.id}`);
    const error = at(json, 'error');
    for (const name of ['code', 'status', 'detail']) {
      expectEqual(`error.${name}`, at(error, name), at(failed.error, name));
    }
    expectThat(textAt(error, 'title') !== '', 'error.title', show(error));
    expectThat(textAt(error, 'type').endsWith('/errors/vendor_error'), 'error.type', show(error));
  }),
  check('a partial Run carries a problem document for each missing item', needs, async (ctx) => {
    const { partial } = await journey(ctx);
    const { json } = await isThere(ctx, `${runsPath}/${partial.id}`);
    const codes = listAt(json, 'problems').map((problem) => at(problem, 'code'));
    expectEqual(
      'codes',
      codes,
      engineProblems.map(({ code }) => code),
    );
  }),
  check('a Run does not exist for another customer', needs, async (ctx) => {
    const { completed } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${completed.id}`);
    expectProblem(await ctx.other.get(`${runsPath}/${completed.id}`), 404, 'not_found');
  }),
];

const trackers: readonly Check[] = [
  check('a Tracker can be read', needs, async (ctx) => {
    const { tracker } = await journey(ctx);
    const { json } = await isThere(ctx, `/v1/trackers/${tracker.id}`);
    for (const [name, value] of Object.entries(tracker)) expectEqual(name, at(json, name), value);
  }),
  check('a Tracker links to itself and its changes', needs, async (ctx) => {
    const { tracker } = await journey(ctx);
    const { json } = await isThere(ctx, `/v1/trackers/${tracker.id}`);
    const address = `${ctx.config.url}/v1/trackers/${tracker.id}`;
    expectEqual('links.tracker', at(json, 'links', 'tracker'), address);
    expectEqual('links.changes', at(json, 'links', 'changes'), `${address}/changes`);
  }),
  check("a Tracker's Change Reports can be listed", needs, async (ctx) => {
    const { reports } = await journey(ctx);
    const { json } = await ctx.customer.get(await trackerChanges(ctx));
    const ids = listAt(json, 'items').map((report) => at(report, 'id'));
    expectEqual('ids, newest first', ids, reports.map(({ id }) => id).toReversed());
  }),
  check('a Change Report names its Run', needs, async (ctx) => {
    const { reports } = await journey(ctx);
    const { json } = await ctx.customer.get(await trackerChanges(ctx));
    const runIds = listAt(json, 'items').map((report) => at(report, 'run_id'));
    expectEqual('run ids', runIds, reports.map(({ run_id }) => run_id).toReversed());
  }),
];

const group = (section: string, checks: readonly Check[]): Group => ({
  heading: 'Endpoints',
  section,
  checks,
});

export const storedResults: readonly Group[] = [
  group('GET /v1/creators/{platform}/{handle}/videos', videos),
  group('GET /v1/runs/{id}/items', items),
  group('GET /v1/runs and one Run', runs),
  group('GET /v1/trackers/{id} and its changes', trackers),
];
