import { describe, expect, it } from 'vitest';
import { listRunItemsQuery } from '#shared/contract/list-query.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { changeReportRecord, presentChangeReport } from '#shared/contract/records/change-report.ts';
import { videoItem } from '#shared/contract/records/given-results.ts';
import { presentRun, runRecord } from '#shared/contract/records/run.ts';
import { presentTracker, trackerRecord } from '#shared/contract/records/tracker.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';
import {
  buildOpenRun,
  buildReport,
  buildSettledRun,
  buildTracker,
  buildVideo,
  isoTime,
  someScores,
} from '../../support/values/stored-results.ts';

const baseUrl = 'https://api.example.com';
const addresses = { baseUrl, docsUrl: 'https://docs.example.com' };
const vendorError = {
  type: 'https://engine.example.com/errors/vendor_error',
  title: 'Upstream source failed',
  status: 502,
  code: 'vendor_error' as const,
  detail: 'No answer within 30 s',
  vendor: 'x',
};

describe('presentRun()', () => {
  it('shows every member of an open Run, with null for missing values', () => {
    const record = presentRun(buildOpenRun(), addresses);

    expect(record).toEqual({
      id: 'run_1',
      kind: 'creator_videos',
      status: 'running',
      tracker_id: null,
      charge_usd: null,
      created_at: isoTime(),
      settled_at: null,
      error: null,
      problems: null,
      links: { run: `${baseUrl}/v1/runs/run_1`, items: `${baseUrl}/v1/runs/run_1/items` },
    });
    expect(runRecord.parse(record)).toEqual(record);
  });

  it('links the Run of a Tracker to the Tracker and its changes', () => {
    const { links } = presentRun(buildSettledRun({ tracker_id: 'trk_1' }), addresses);

    expect(links).toEqual({
      run: `${baseUrl}/v1/runs/run_1`,
      items: `${baseUrl}/v1/runs/run_1/items`,
      tracker: `${baseUrl}/v1/trackers/trk_1`,
      changes: `${baseUrl}/v1/trackers/trk_1/changes`,
    });
  });

  it('shows why a Run failed as a documented problem, with its other members unchanged', () => {
    const record = presentRun(buildSettledRun({ status: 'failed', error: vendorError }), addresses);

    expect(record.error).toEqual({ ...vendorError, type: 'https://docs.example.com/errors/vendor_error' });
    expect(record.problems).toBeNull();
    expect(runRecord.parse(record)).toEqual(record);
  });

  it('shows one problem for each item that a partial Run lacks', () => {
    const balance = {
      ...vendorError,
      code: 'insufficient_balance' as const,
      balance_usd: 0.1,
      required_usd: 0.2,
    };

    const record = presentRun(
      buildSettledRun({ status: 'partial', problems: [vendorError, balance] }),
      addresses,
    );

    expect(record.error).toBeNull();
    expect(record.problems).toEqual([
      { ...vendorError, type: 'https://docs.example.com/errors/vendor_error' },
      { ...balance, type: 'https://docs.example.com/errors/insufficient_balance' },
    ]);
  });

  it('has the same members in every status of the Run', () => {
    const members = [buildOpenRun(), buildSettledRun(), buildSettledRun({ error: vendorError })].map((run) =>
      Object.keys(presentRun(run, addresses)),
    );

    expect(new Set(members.map(String)).size).toBe(1);
  });
});

describe('presentTracker(), presentChangeReport()', () => {
  it('presentTracker() and presentChangeReport() show the members that the Run engine sent, and links', () => {
    const tracker = buildTracker({ subject: { handle: 'maker' }, links: { tracker: 'https://elsewhere' } });

    const record = presentTracker(tracker, baseUrl);

    expect(record).toEqual({
      ...tracker,
      links: {
        tracker: `${baseUrl}/v1/trackers/trk_1`,
        changes: `${baseUrl}/v1/trackers/trk_1/changes`,
      },
    });
    expect(trackerRecord.parse(record)).toEqual(record);
  });

  it('presentChangeReport() names the Tracker and the Run of a report', () => {
    const record = presentChangeReport(buildReport({ added: ['v1'] }), 'trk_1', baseUrl);

    expect(record).toEqual({
      id: 'chg_1',
      run_id: 'run_1',
      created_at: isoTime(),
      added: ['v1'],
      tracker_id: 'trk_1',
      links: {
        run: `${baseUrl}/v1/runs/run_1`,
        tracker: `${baseUrl}/v1/trackers/trk_1`,
        changes: `${baseUrl}/v1/trackers/trk_1/changes`,
      },
    });
    expect(changeReportRecord.parse(record)).toEqual(record);
  });
});

describe('videoItem', () => {
  it.each([
    ['without scores', buildVideo()],
    ['with scores', buildVideo({ scores: someScores })],
    ['with a reason', buildVideo({ scores: { ...someScores, reason: 'too_few_videos' } })],
  ])('is a video record %s', (_, video) => {
    expect(videoItem.parse(video)).toEqual(video);
    expect(videoRecord.parse(video)).toEqual(video);
  });

  it('drops unknown members on every level', () => {
    const video = buildVideo({ scores: someScores });

    const given = {
      ...video,
      note: 1,
      sound: { ...video.sound, note: 1 },
      scores: { ...someScores, note: 1 },
    };

    expect(videoItem.parse(given)).toEqual(video);
  });

  it('puts every time into UTC with milliseconds', () => {
    const time = '2026-01-01T02:00:00+02:00';
    const inUtc = '2026-01-01T00:00:00.000Z';
    const video = buildVideo({
      posted_at: time,
      snapshot: { ...buildVideo().snapshot, at: time },
      scores: { ...someScores, baseline: { ...someScores.baseline, computed_at: time } },
    });

    expect(videoItem.parse(video)).toMatchObject({
      posted_at: inUtc,
      snapshot: { at: inUtc },
      scores: { baseline: { computed_at: inUtc } },
    });
  });

  it.each([
    ['an id with the separator of keys', { id: 'a#b' }],
    ['an id with a control character', { id: 'a\u0000' }],
    ['half a character', { id: '\ud83d' }],
    ['an id of 257 bytes', { id: `${'é'.repeat(128)}a` }],
    ['no id', { id: '' }],
    ['a platform with the separator of keys', { platform: 'tik#tok' }],
    ['a platform of 33 characters', { platform: 'x'.repeat(33) }],
    ['no scores', { scores: undefined }],
    ['a fraction of a view', { snapshot: { ...buildVideo().snapshot, views: 0.5 } }],
  ])('refuses %s', (_, given) => {
    expect(videoItem.safeParse({ ...buildVideo(), ...given }).success).toBe(false);
  });

  it('accepts an id of 256 bytes', () => {
    expect(videoItem.safeParse(buildVideo({ id: 'é'.repeat(128) })).success).toBe(true);
  });
});

describe('creator_videos.saved', () => {
  it.each(['', '@', 'x'.repeat(129), '\ud83d'])('refuses the handle %j', (handle) => {
    const message = { ...intakeExamples['creator_videos.saved'], handle };

    expect(intakeMessage.safeParse(message).error?.issues.map(({ path }) => path)).toEqual([['handle']]);
  });
});

describe('listRunItemsQuery', () => {
  it('defaults to videos', () => {
    expect(listRunItemsQuery.parse({})).toEqual({ limit: 25, type: 'videos' });
    expect(listRunItemsQuery.parse({ type: 'videos' })).toEqual({ limit: 25, type: 'videos' });
  });

  it.each(['', 'video', 'VIDEOS', 'sounds'])('refuses type=%s', (type) => {
    expect(listRunItemsQuery.safeParse({ type }).success).toBe(false);
  });
});
