import { listQuery, listRunItemsQuery } from '#shared/contract/list-query.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { trackerRecord } from '#shared/contract/records/tracker.ts';
import { runSchemas } from '../schemas/run-schemas.ts';
import { videoSchemas } from '../schemas/video-schemas.ts';
import type { Operation } from './operation-details.ts';

export const resultOperations = {
  listRuns: {
    description: 'Lists the Runs of the customer in every status, newest first.',
    success: 'One page of Runs.',
    query: listQuery,
    response: runSchemas.RunList.schema,
  },
  getRun: {
    description:
      'Reads one Run. Its status is final once it is `completed`, `partial` or `failed`. The event `run.completed` ' +
      'tells you when that happens, so that you need not poll.',
    success: 'The Run.',
    response: runRecord,
  },
  listRunItems: {
    description:
      'Lists the items of a Run, newest first, once the Run is `completed` or `partial`. Reading is free, and reading ' +
      'again is too.',
    success: 'One page of videos.',
    query: listRunItemsQuery,
    response: videoSchemas.VideoList.schema,
  },
  getTracker: {
    description: 'Reads one Tracker.',
    success: 'The Tracker.',
    response: trackerRecord,
  },
  listChangeReports: {
    description: 'Lists the Change Reports of a Tracker, newest first.',
    success: 'One page of Change Reports.',
    query: listQuery,
    response: runSchemas.ChangeReportList.schema,
  },
  listCreatorVideos: {
    description:
      'Lists the stored videos of a creator, newest first. Reading is free and starts no Run. A creator of whom ' +
      'nothing was stored for this customer is `not_found`.',
    success: 'One page of videos.',
    query: listQuery,
    response: videoSchemas.VideoList.schema,
  },
} as const satisfies Readonly<Record<string, Operation>>;
