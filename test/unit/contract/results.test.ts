import { describe, expect, it } from 'vitest';
import { videoItem } from '#shared/contract/records/given-results.ts';
import { presentRun, runRecord } from '#shared/contract/records/run.ts';
import {
  changeReportRecord,
  presentChangeReport,
  presentTracker,
  trackerRecord,
} from '#shared/contract/records/tracker.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
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
const runLinks = { run: `${baseUrl}/v1/runs/run_1`, items: `${baseUrl}/v1/runs/run_1/items` };
const trackerLinks = {
  tracker: `${baseUrl}/v1/trackers/trk_1`,
  changes: `${baseUrl}/v1/trackers/trk_1/changes`,
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
      links: runLinks,
    });
    expect(runRecord.parse(record)).toEqual(record);
    expect(Object.keys(presentRun(buildSettledRun(), addresses))).toEqual(Object.keys(record));
  });

  it('links the Run of a Tracker to the Tracker and its changes', () => {
    const { links } = presentRun(buildSettledRun({ tracker_id: 'trk_1' }), addresses);

    expect(links).toEqual({ ...runLinks, ...trackerLinks });
  });

  it('shows problems of a Run with the status of their code, and without what documents have in another form', () => {
    const odd = {
      instance: 5,
      errors: 'x',
      limit: 'y',
      replay_id: 1,
      overlap_expires_at: 0,
      balance_usd: '0.1',
    };
    const error = { ...vendorError, status: 418, ...odd, note: 'kept' };

    expect(presentRun(buildSettledRun({ status: 'failed', error }), addresses).error).toEqual({
      ...vendorError,
      type: 'https://docs.example.com/errors/vendor_error',
      status: 502,
      note: 'kept',
    });
  });

  it('shows a problem of every failed Run, also when the Run engine gave none', () => {
    expect(presentRun(buildSettledRun({ status: 'failed', error: null }), addresses).error).toEqual({
      type: 'https://docs.example.com/errors/internal_error',
      title: 'Internal error',
      status: 500,
      code: 'internal_error',
    });
  });

  it('shows a list of problems of every partial Run, also when the Run engine gave none', () => {
    expect(presentRun(buildSettledRun({ status: 'partial', problems: null }), addresses).problems).toEqual([]);
  });

  it('shows the problems of a Run as documented ones, with their other members unchanged', () => {
    const balance = {
      ...vendorError,
      status: 402,
      code: 'insufficient_balance' as const,
      balance_usd: 0.1,
      required_usd: 0.2,
    };
    const run = buildSettledRun({ status: 'partial', error: vendorError, problems: [vendorError, balance] });
    const shown = { ...vendorError, type: 'https://docs.example.com/errors/vendor_error' };

    const record = presentRun(run, addresses);

    expect(record.error).toEqual(shown);
    expect(record.problems).toEqual([
      shown,
      { ...balance, type: 'https://docs.example.com/errors/insufficient_balance' },
    ]);
    expect(runRecord.parse(record)).toEqual(record);
  });
});

it('presentTracker() and presentChangeReport() show the members that the Run engine sent, and their own links', () => {
  const tracker = buildTracker({ subject: { handle: 'maker' }, links: { tracker: 'https://elsewhere' } });

  const ofTracker = presentTracker(tracker, baseUrl);
  const ofReport = presentChangeReport(buildReport({ added: ['v1'] }), 'trk_1', baseUrl);

  expect(ofTracker).toEqual({ ...tracker, links: trackerLinks });
  expect(trackerRecord.parse(ofTracker)).toEqual(ofTracker);
  expect(ofReport).toEqual({
    ...buildReport({ added: ['v1'] }),
    tracker_id: 'trk_1',
    links: { run: runLinks.run, ...trackerLinks },
  });
  expect(changeReportRecord.parse(ofReport)).toEqual(ofReport);
});

describe('videoItem', () => {
  it.each([
    ['without scores', buildVideo()],
    ['with scores', buildVideo({ scores: someScores })],
    ['with a reason', buildVideo({ scores: { ...someScores, reason: 'too_few_videos' } })],
    ['with an id of 256 bytes', buildVideo({ id: 'é'.repeat(128) })],
  ])('is a video record %s', (_, video) => {
    expect(videoItem.parse(video)).toEqual(video);
    expect(videoRecord.parse(video)).toEqual(video);
  });

  it('drops unknown members on every level', () => {
    const video = buildVideo({ scores: someScores });
    const { sound } = video;

    const given = { ...video, note: 1, sound: { ...sound, note: 1 }, scores: { ...someScores, note: 1 } };

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
});
