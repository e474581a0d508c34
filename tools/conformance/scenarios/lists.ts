import { collected, type Evidence, scenario } from '../harness/check.ts';
import type { Caller } from '../harness/client.ts';
import type { Exchange } from '../harness/exchange.ts';
import { expectThat } from '../harness/expect.ts';
import { at, isRecord, listAt, textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';
import { replay, testDeliveryId } from './deliveries.ts';
import { pathOf } from './endpoint.ts';
import { mainEndpoint } from './endpoints.ts';
import { type Facts, itemsOfRun, journey } from './journey.ts';
import { video, videos } from './messages.ts';

/** One list of the service that is not empty. */
export type List = {
  readonly name: string;
  /** The path without a query, once the list is not empty. */
  readonly path: Evidence<string>;
  /** The member that orders the list, newest first. */
  readonly orderedBy: 'created_at' | 'posted_at';
};

/** Number of videos of the suite's creator: more than the largest page. */
const videosOfCreator = 130;

/** A number of videos that exactly fills pages of 40. */
export const videosOfWalk = 80;

/** A creator whose videos are stored. */
export const creator = scenario(['intake'], (ctx) => storedCreator(ctx, `conf_${ctx.tag}`, videosOfCreator));

async function storedCreator(ctx: Context, handle: string, count: number): Promise<string> {
  await saveVideos(ctx, handle, videos(ctx, handle, count));
  const path = `/v1/creators/tiktok/${handle}/videos`;
  await isWhole(ctx, path, count);
  return path;
}

/** Waits until a list has all records, which the service stores one after the other. */
async function isWhole(ctx: Context, path: string, count: number): Promise<void> {
  await firstRead(ctx, `${path}?limit=1`);
  const look = async () => {
    const pages = await walk(ctx.customer, path, 'limit=100');
    return itemsOf(pages).length === count ? true : undefined;
  };
  await until(ctx, `${count} records at ${path}`, look, { seconds: 8, everyMs: 800 });
}

async function saveVideos(ctx: Context, handle: string, stored: readonly object[]): Promise<void> {
  await ctx.intake().put({
    type: 'creator_videos.saved',
    customer_id: ctx.intake().customerId,
    platform: 'tiktok',
    handle,
    videos: stored,
  });
}

/** Another creator; a newer video arrives during the walk of the list. */
export const creatorWalk = scenario(['intake'], async (ctx) => {
  const handle = `walk_${ctx.tag}`;
  const path = await storedCreator(ctx, handle, videosOfWalk);
  const newcomer = video(ctx, handle, -1);
  const pages = await walk(ctx.customer, path, 'limit=40', async () => {
    await saveVideos(ctx, handle, [newcomer]);
    await until(
      ctx,
      'the new video at the top of the list',
      async () => {
        const { json } = await ctx.customer.get(`${path}?limit=1`);
        return at(json, 'items', 0, 'id') === at(newcomer, 'id') ? true : undefined;
      },
      { seconds: 8, everyMs: 400 },
    );
  });
  return { pages, newcomer, items: itemsOf(pages) };
});

/** Minimum number of deliveries of the main endpoint. */
export const replayedDeliveries = 28;

/** The main endpoint with a history of more than one page. */
export const history = scenario(['receiver'], async (ctx) => {
  const { endpoint } = await mainEndpoint(ctx);
  const ids = await replayMany(ctx, replayedDeliveries);
  return { endpoint, path: `${pathOf(endpoint)}/deliveries`, ids };
});

async function replayMany(ctx: Context, count: number): Promise<readonly string[]> {
  const { endpoint } = await mainEndpoint(ctx);
  const ids: string[] = [];
  for (let made = 0; made < count; made += 7) {
    const size = Math.min(7, count - made);
    const accepted = await Promise.all(
      Array.from({ length: size }, () => replay(ctx, endpoint, testDeliveryId(endpoint))),
    );
    ids.push(...accepted.map(({ json }) => textAt(json, 'delivery', 'id')));
  }
  return ids;
}

/** The same history, with deliveries added during the walk. */
export const historyWalk = scenario(['receiver'], async (ctx) => {
  const { path, ids } = await history(ctx);
  const inserted: string[] = [];
  const pages = await walk(ctx.customer, path, 'limit=9', async () => {
    inserted.push(...(await replayMany(ctx, 2)));
  });
  return { ids, inserted, pages, items: itemsOf(pages) };
});

/** Waits for the first successful response. */
async function firstRead(ctx: Context, path: string): Promise<Exchange> {
  const look = async () => {
    const read = await ctx.customer.get(path);
    return read.status === 200 ? read : undefined;
  };
  return await until(ctx, `200 for ${path}`, look, { seconds: 8, everyMs: 800 });
}

const runsPath = '/v1/runs';

function stored<Run extends { readonly id: string }>(runOf: (facts: Facts) => Run) {
  return scenario(['intake'], async (ctx) => {
    const run = runOf(await journey(ctx));
    const path = `${runsPath}/${run.id}`;
    const { json } = await firstRead(ctx, path);
    return { run, path, json };
  });
}

/** Runs of the journey, each with the first successful response for it. */
export const storedRun = {
  running: stored(({ running }) => running),
  queued: stored(({ queued }) => queued),
  completed: stored(({ completed }) => completed),
  empty: stored(({ empty }) => empty),
  partial: stored(({ partial }) => partial),
  failed: stored(({ failed }) => failed),
};

/** The Tracker of the journey and the first successful response for it. */
export const storedTracker = scenario(['intake'], async (ctx) => {
  const { tracker } = await journey(ctx);
  const path = `/v1/trackers/${tracker.id}`;
  const { json } = await firstRead(ctx, path);
  return { tracker, path, json };
});

/** A Run with more than two pages of items, once all are stored. */
export const runItems = scenario(['intake'], async (ctx) => {
  const { completed } = await journey(ctx);
  const path = `${runsPath}/${completed.id}/items`;
  await isWhole(ctx, path, itemsOfRun);
  return path;
});

/** A Tracker with two Change Reports. */
export const trackerChanges = scenario(['intake'], async (ctx) => {
  const { tracker, reports } = await journey(ctx);
  const path = `/v1/trackers/${tracker.id}/changes`;
  await isWhole(ctx, path, reports.length);
  return path;
});

/** The Runs of the journey, once the last of them is stored. */
export const storedRuns = scenario(['intake'], async (ctx) => {
  await storedRun.partial(ctx);
  return runsPath;
});

export const lists: readonly List[] = [
  { name: 'webhooks', path: collected([], async () => '/v1/webhooks'), orderedBy: 'created_at' },
  {
    name: 'deliveries',
    path: collected(['receiver'], async (ctx) => (await history(ctx)).path),
    orderedBy: 'created_at',
  },
  {
    name: "an endpoint's activity",
    path: collected(['receiver'], async (ctx) => `${pathOf((await history(ctx)).endpoint)}/activity`),
    orderedBy: 'created_at',
  },
  { name: 'Runs', path: storedRuns, orderedBy: 'created_at' },
  { name: "a Run's items", path: runItems, orderedBy: 'posted_at' },
  { name: "a Tracker's changes", path: trackerChanges, orderedBy: 'created_at' },
  { name: "a creator's videos", path: creator, orderedBy: 'posted_at' },
];

const maxPages = 60;

/** Follows the cursors to the last page. `betweenPages` runs once, after the first page. */
export async function walk(
  caller: Caller,
  path: string,
  query: string,
  betweenPages: () => Promise<void> = async () => undefined,
): Promise<readonly Exchange[]> {
  const pages = [await caller.get(`${path}?${query}`)];
  await betweenPages();
  for (let cursor = nextCursor(pages); cursor !== null; cursor = nextCursor(pages)) {
    expectThat(pages.length < maxPages, `at most ${maxPages} pages`, 'more');
    pages.push(await caller.get(`${path}?${query}&cursor=${encodeURIComponent(cursor)}`));
  }
  return pages;
}

function nextCursor(pages: readonly Exchange[]): string | null {
  const page = pages.at(-1);
  expectThat(page?.status === 200, '200 for a page', page?.text ?? 'no page');
  const cursor = at(page.json, 'next_cursor');
  return typeof cursor === 'string' ? cursor : null;
}

export function itemsOf(pages: readonly Exchange[]): readonly Readonly<Record<string, unknown>>[] {
  return pages.flatMap(({ json }) => listAt(json, 'items')).filter(isRecord);
}
