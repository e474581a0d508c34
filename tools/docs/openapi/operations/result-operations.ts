import { listQuery, listRunItemsQuery } from '#shared/contract/list-query.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { trackerRecord } from '#shared/contract/records/tracker.ts';
import { examples } from '../examples.ts';
import { changeReportList, runList } from '../schemas/run-schemas.ts';
import { videoList } from '../schemas/video-schemas.ts';
import { type OperationDetails, paging } from './operation-details.ts';

export const resultOperations = {
  listRuns: {
    tag: 'Results',
    description: `Lists the Runs of the customer in every status, newest first. ${paging}`,
    success: 'One page of Runs.',
    query: listQuery,
    response: runList,
    example: examples.runs,
  },
  getRun: {
    tag: 'Results',
    description:
      'Reads one Run. Its status is final once it is `completed`, `partial` or `failed`. The event `run.completed` ' +
      'tells you when that happens, so that you need not poll.',
    success: 'The Run.',
    response: runRecord,
    example: examples.run,
  },
  listRunItems: {
    tag: 'Results',
    description:
      'Lists the items of a Run, newest first, once the Run is `completed` or `partial`. Reading is free, and reading ' +
      `again is too. ${paging}`,
    success: 'One page of videos.',
    query: listRunItemsQuery,
    response: videoList,
    example: examples.videos,
  },
  getTracker: {
    tag: 'Results',
    description: 'Reads one Tracker.',
    success: 'The Tracker.',
    response: trackerRecord,
    example: examples.tracker,
  },
  listChangeReports: {
    tag: 'Results',
    description: `Lists the Change Reports of a Tracker, newest first. ${paging}`,
    success: 'One page of Change Reports.',
    query: listQuery,
    response: changeReportList,
    example: examples.changeReports,
  },
  listCreatorVideos: {
    tag: 'Results',
    description:
      'Lists the stored videos of a creator, newest first. Reading is free and starts no Run. A creator of whom ' +
      `nothing was stored for this customer is \`not_found\`. ${paging}`,
    success: 'One page of videos.',
    query: listQuery,
    response: videoList,
    example: examples.videos,
  },
} as const satisfies Readonly<Record<string, OperationDetails>>;
