import { beforeEach, describe, expect, it } from 'vitest';
import { changeReportPrefix, trackerKey } from '#shared/aws/table/keys.ts';
import { storeOpenRun, storeSettledRun } from '#shared/aws/table/results/runs.ts';
import { storeTracker } from '#shared/aws/table/results/trackers.ts';
import { storeCreatorVideos } from '#shared/aws/table/results/videos.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import { listRunItems } from '#shared/operations/customer/list-runs.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { customerId } from '../../../support/values/builders.ts';
import { buildOpenRun, buildSettledRun, buildTracker, buildVideo } from '../../../support/values/stored-results.ts';

// conformance/checks has the pages of these lists, and cursors.test.ts has where a cursor is taken.
const page = { limit: 2 };
const notFound = { code: 'not_found' };
const emptyPage = { rows: [], nextCursor: null };
const query = { ...page, type: 'videos' as const };

let { table, records, asked } = recordStore();
beforeEach(() => {
  ({ table, records, asked } = recordStore());
});

const poll = 'poll it until it is completed or partial';

it.each([
  ['queued', `The Run is queued: ${poll}`],
  ['running', `The Run is running: ${poll}`],
  ['failed', 'The Run failed: it will never have items'],
] as const)('listRunItems() refuses a %s Run and says why, without a look at its items', async (status, detail) => {
  if (status === 'failed') await storeSettledRun(table, customerId, buildSettledRun({ status }));
  else await storeOpenRun(table, customerId, buildOpenRun({ status }));
  asked.length = 0;

  const list = listRunItems({ cursors, table })(customerId, 'run_1', query);

  await expect(list).rejects.toMatchObject({ code: 'run_not_ready', detail });
  expect(asked).toEqual(['get RUN']);
});

describe('listChangeReports()', () => {
  const list = (cursor?: string) =>
    listChangeReports({ cursors, table })(customerId, 'trk_1', cursor === undefined ? page : { ...page, cursor });

  it('is empty for a Tracker without reports, and answers not_found for one without a record too', async () => {
    await expect(list()).rejects.toMatchObject(notFound);
    await storeTracker(table, customerId, buildTracker());
    expect(await list()).toEqual(emptyPage);
  });

  it('looks for the record only if no report follows an empty first page', async () => {
    const { pk } = trackerKey(customerId, 'trk_1');
    for (const id of ['1', '2', '3']) records.put({ pk, sk: `${changeReportPrefix}${id}`, report: 'unreadable' });

    const { rows, nextCursor } = await list();

    expect(rows).toEqual([]);
    expect(await list(nextCursor ?? '')).toEqual(emptyPage);
  });
});

describe('listCreatorVideos()', () => {
  const creator = { platform: 'tiktok', handle: 'Some.One' };
  const known = { platform: 'tiktok', handle: 'some.one' };
  const supportedPlatforms = new Set(['tiktok', 'youtube']);
  const list = (of: typeof creator, asking: { readonly limit: number; readonly cursor?: string } = page) =>
    listCreatorVideos({ cursors, supportedPlatforms, table })(customerId, of, asking);

  it('continues for every spelling of the handle, and asks for one', async () => {
    const ids = ['v3', 'v2', 'v1'];
    await storeCreatorVideos(
      table,
      customerId,
      known,
      ids.map((id) => buildVideo({ id })),
    );

    const { rows, nextCursor } = await list(creator);
    const last = await list({ ...creator, handle: '@SOME.one' }, { ...page, cursor: nextCursor ?? '' });

    expect([...rows, ...last.rows].map(({ id }) => id)).toEqual(ids);
  });

  it('is empty for a creator without videos, and answers not_found for one that was never stored', async () => {
    await expect(list(creator)).rejects.toMatchObject(notFound);
    await storeCreatorVideos(table, customerId, known, []);
    expect(await list(creator)).toEqual(emptyPage);
  });

  // test/unit/domain/creator.test.ts has what a handle is.
  it('answers not_found for what is no handle, without a read', async () => {
    await expect(list({ ...creator, handle: '@' })).rejects.toMatchObject(notFound);
    expect(asked).toEqual([]);
  });

  it.each(['vimeo', 'TikTok', ''])(
    'refuses the platform %j without a read, and names the known platforms',
    async (platform) => {
      await expect(list({ ...creator, platform })).rejects.toMatchObject({
        code: 'unsupported_platform',
        detail: 'Use a supported platform: tiktok, youtube',
      });
      expect(asked).toEqual([]);
    },
  );
});
