import { runRecord } from '#shared/contract/records/run.ts';
import { changeReportRecord, trackerRecord } from '#shared/contract/records/tracker.ts';
import { described, id, link, listOf, time } from '../described.ts';
import { kindText, linkTexts } from './event-schemas.ts';

const { links: runLinks } = runRecord.shape;
const { links: trackerLinks } = trackerRecord.shape;
const { links: changeReportLinks } = changeReportRecord.shape;

export const runSchemas = {
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
  ChangeReportLinks: described(
    changeReportLinks,
    'Addresses of the Run and the Tracker of the report.',
    linkTexts,
  ),
} as const;
