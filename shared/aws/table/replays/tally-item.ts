import * as z from 'zod/mini';
import type { EndedReplays } from '#shared/domain/replay-outcomes.ts';
import { reads } from '../stored-row.ts';

const marks = z._default(z.set(z.string()), new Set());

/** How many replays a tally counts. */
export const fromTallyItem = reads(
  'Tally',
  z.object({ delivered: marks, failed: marks }),
  ({ delivered, failed }): EndedReplays => ({ delivered: delivered.size, failed: failed.size }),
);
