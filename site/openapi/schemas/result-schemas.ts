import { runRecord } from '#shared/contract/records/run.ts';
import { changeReportRecord, trackerRecord } from '#shared/contract/records/tracker.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
import { described, id, link, listOf, time } from '../described.ts';
import { kindText, linkTexts } from './event-schemas.ts';

const { links: runLinks } = runRecord.shape;
const { links: trackerLinks } = trackerRecord.shape;
const { links: changeReportLinks } = changeReportRecord.shape;
const { sound, creator, snapshot } = videoRecord.shape;
const scores = videoRecord.shape.scores.def.innerType;
const { velocity, baseline } = scores.shape;

export const resultSchemas = {
  Run: described(runRecord, 'One job of the Run engine. The service stores what the engine reports.', {
    id: id('run', 'The id of the Run.'),
    kind: kindText,
    status:
      '`queued` and `running` Runs are open. A Run settles once: as `completed`, as `partial` when some items did not ' +
      'arrive, or as `failed`.',
    tracker_id: id('tracker', 'The Tracker that started the Run; `null` when there is none.'),
    charge_usd: 'The charge in USD; `null` while it is unknown.',
    created_at: time('When the Run was created.'),
    settled_at: time('When the Run settled; `null` while it is open.'),
    error: 'Why the Run failed; `null` when it did not fail.',
    problems: 'One problem for each item of a partial Run that did not arrive; otherwise `null`.',
    links: 'Addresses of related resources.',
  }),
  RunList: listOf(runRecord, 'Runs'),
  RunLinks: described(runLinks, 'Addresses of the Run and what belongs to it.', {
    ...linkTexts,
    items: link('The items of the Run.'),
    tracker: link('The Tracker that started the Run, if one did.'),
    changes: link('The Change Reports of that Tracker.'),
  }),
  Tracker: described(
    trackerRecord,
    'A job that repeats. Each cycle is a Run. A Tracker can have more members than these, as the Run engine sent them.',
    {
      id: id('tracker', 'The id of the Tracker.'),
      kind: 'What the Tracker watches, in the words of the Run engine.',
      status: 'The state of the Tracker, in the words of the Run engine.',
      created_at: time('When the Tracker was created.'),
      links: 'Addresses of related resources.',
    },
  ),
  TrackerLinks: described(trackerLinks, 'Addresses of the Tracker and its Change Reports.', linkTexts),
  ChangeReport: described(
    changeReportRecord,
    'What changed between two cycles of a Tracker. A report can have more members than these, as the Run engine sent ' +
      'them.',
    {
      id: id('changeReport', 'The id of the Change Report.'),
      tracker_id: id('tracker', 'The Tracker that wrote the report.'),
      run_id: id('run', 'The Run that found the change.'),
      created_at: time('When the report was written.'),
      links: 'Addresses of related resources.',
    },
  ),
  ChangeReportList: listOf(changeReportRecord, 'Change Reports'),
  ChangeReportLinks: described(changeReportLinks, 'Addresses of the Run and the Tracker of the report.', linkTexts),
  Video: described(videoRecord, 'One stored video. The pair of `platform` and `id` identifies it.', {
    platform: 'The name of the platform.',
    id: 'The id of the video on its platform.',
    url: 'The address of the video.',
    description: 'The text that the creator wrote.',
    posted_at: time('When the video was posted.'),
    duration_seconds: 'The length of the video.',
    thumbnail_url: 'The address of a still image.',
    hashtags: 'The hashtags of the video.',
    sound: 'The sound of the video.',
    creator: 'The account that posted the video.',
    snapshot: 'The counts of the video at one time.',
    scores: 'The scores of the video; `null` when it has none.',
  }),
  VideoList: listOf(videoRecord, 'videos'),
  VideoSound: described(sound, 'The sound of a video.', {
    id: 'The id of the sound on its platform.',
    title: 'The title of the sound.',
  }),
  VideoCreator: described(creator, 'The account that posted a video.', {
    id: id('creator', 'The id of the creator.'),
    handle: 'The handle of the account.',
    name: 'The displayed name.',
    follower_count: 'The number of followers.',
  }),
  VideoSnapshot: described(snapshot, 'Counts of a video at one time.', {
    at: time('When the counts were read.'),
    views: 'The number of views.',
    likes: 'The number of likes.',
    comments: 'The number of comments.',
    shares: 'The number of shares.',
    saves: 'The number of saves.',
  }),
  VideoScores: described(scores, 'The scores of a video, as the Run engine computed them.', {
    outlier: 'The outlier score.',
    outlier_p90: 'The outlier score by the 90th percentile.',
    percentile: 'The percentile of the video.',
    velocity: 'How fast the views grow.',
    reason: 'A reason, in the words of the Run engine; `null` when it gave none.',
    baseline: 'The values that the scores compare with.',
  }),
  VideoVelocity: described(velocity, 'How fast the views of a video grow.', {
    views_per_hour: 'The number of views per hour.',
    window: 'The time over which the growth was measured.',
  }),
  VideoBaseline: described(baseline, 'The values that the scores of a video compare with.', {
    median_views: 'The median of the views.',
    p90_views: 'The 90th percentile of the views.',
    engagement_rate: 'The engagement rate.',
    posts_per_week: 'The number of posts per week.',
    sample: 'The number of videos in the baseline.',
    confidence: 'The confidence in the baseline, in the words of the Run engine.',
    source: 'The source of the baseline, in the words of the Run engine.',
    computed_at: time('When the baseline was computed.'),
    stale: 'Whether the baseline is out of date.',
  }),
} as const;
