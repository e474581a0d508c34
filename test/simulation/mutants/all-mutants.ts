import { accessMutants } from './access.ts';
import { attemptMutants } from './attempts.ts';
import { bulkReplayMutants, gatheredReplayMutants, repeatedReplayMutants } from './bulk-replays.ts';
import { deletionMutants, endpointMutants } from './endpoints.ts';
import { eventMutants, repeatedEventMutants } from './events.ts';
import { headerMutants } from './headers.ts';
import { healthMutants, overlapMutants } from './health.ts';
import { keyMutants } from './keys.ts';
import { laneMutants } from './lanes.ts';
import type { Mutant } from './mutant.ts';
import { waitingMutants } from './waiting.ts';

export const allMutants: readonly Mutant[] = [
  ...attemptMutants,
  ...waitingMutants,
  ...endpointMutants,
  ...deletionMutants,
  ...eventMutants,
  ...repeatedEventMutants,
  ...headerMutants,
  ...laneMutants,
  ...healthMutants,
  ...overlapMutants,
  ...bulkReplayMutants,
  ...repeatedReplayMutants,
  ...gatheredReplayMutants,
  ...keyMutants,
  ...accessMutants,
];
