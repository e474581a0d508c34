import { describe, expect, it } from 'vitest';
import { listChangeReports, type ReadTracker } from '#shared/operations/customer/list-change-reports.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import { listRunItems } from '#shared/operations/customer/list-runs.ts';
import type { PageRequest } from '#shared/operations/paging.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { customerId } from '../../../support/values/builders.ts';
import { buildOpenRun, buildSettledRun, buildTracker } from '../../../support/values/stored-results.ts';

type ListDeps = Parameters<typeof listCreatorVideos>[0];

// conformance/checks has the pages of these lists, and cursors.test.ts has where a cursor is taken.
const page = { limit: 2 };
const notFound = { code: 'not_found' };
/** A first page without rows that others follow, and the last one. */
const skipped = async ({ after }: PageRequest) => ({ rows: [], next: after === null ? 'more' : null });
const empty = async () => ({ rows: [], next: null });
const emptyPage = { rows: [], nextCursor: null };

const query = { ...page, type: 'videos' as const };

const poll = 'poll it until it is completed or partial';

it.each([
  ['queued', buildOpenRun({ status: 'queued' }), `The Run is queued: ${poll}`],
  ['running', buildOpenRun(), `The Run is running: ${poll}`],
  ['failed', buildSettledRun({ status: 'failed' }), 'The Run failed: it will never have items'],
])('listRunItems() refuses a %s Run and says why, without a look at its items', async (_, run, detail) => {
  const readRunItems = unexpected('readRunItems');
  const list = listRunItems({ cursors, readRun: async () => run, readRunItems });

  await expect(list(customerId, 'run_1', query)).rejects.toMatchObject({ code: 'run_not_ready', detail });
});

describe('listChangeReports()', () => {
  const listOf = (readTracker: ReadTracker, rowsOf: typeof skipped = empty) =>
    listChangeReports({ cursors, readTracker, readChangeReports: (_customer, _tracker, of) => rowsOf(of) });

  it('is empty for a Tracker without reports, and answers not_found for one without a record too', async () => {
    expect(await listOf(async () => buildTracker())(customerId, 'trk_1', page)).toEqual(emptyPage);
    await expect(listOf(async () => null)(customerId, 'trk_1', page)).rejects.toMatchObject(notFound);
  });

  it('looks for the record only if no report follows an empty first page', async () => {
    const list = listOf(unexpected('readTracker'), skipped);
    const { nextCursor } = await list(customerId, 'trk_1', page);

    expect(await list(customerId, 'trk_1', { ...page, cursor: nextCursor ?? '' })).toEqual(emptyPage);
  });
});

describe('listCreatorVideos()', () => {
  const creator = { platform: 'tiktok', handle: 'Some.One' };
  const listOf = (readCreatorVideos: ListDeps['readCreatorVideos'], isCreatorKnown: () => Promise<boolean>) =>
    listCreatorVideos({
      cursors,
      supportedPlatforms: new Set(['tiktok', 'youtube']),
      isCreatorKnown,
      readCreatorVideos,
    });
  const unread = listOf(unexpected('readCreatorVideos'), unexpected('isCreatorKnown'));

  it('continues for every spelling of the handle, and asks for one', async () => {
    const asked: unknown[] = [];
    const list = listOf(async (_customer, given, of) => {
      asked.push(given);
      return skipped(of);
    }, unexpected('isCreatorKnown'));

    const { nextCursor } = await list(customerId, creator, page);
    await list(customerId, { ...creator, handle: '@SOME.one' }, { ...page, cursor: nextCursor ?? '' });

    const known = { platform: 'tiktok', handle: 'some.one' };
    expect(asked).toEqual([known, known]);
  });

  it('is empty for a creator without videos, and answers not_found for one that was never stored', async () => {
    expect(await listOf(empty, async () => true)(customerId, creator, page)).toEqual(emptyPage);
    await expect(listOf(empty, async () => false)(customerId, creator, page)).rejects.toMatchObject(notFound);
  });

  // test/unit/domain/creator.test.ts has what a handle is.
  it('answers not_found for what is no handle, without a read', async () => {
    await expect(unread(customerId, { ...creator, handle: '@' }, page)).rejects.toMatchObject(notFound);
  });

  it.each(['vimeo', 'TikTok', ''])(
    'refuses the platform %j without a read, and names the known platforms',
    async (platform) => {
      await expect(unread(customerId, { ...creator, platform }, page)).rejects.toMatchObject({
        code: 'unsupported_platform',
        detail: 'Use a supported platform: tiktok, youtube',
      });
    },
  );
});
