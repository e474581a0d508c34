import { readCursorSecret } from '#shared/aws/table/credentials/cursor-secret.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { randomBytes } from '#shared/runtime/system.ts';
import { table } from './customer-operation.ts';

/** Separate from customer-operation.ts, so that only the bundles of list operations include it. */
export const cursors = createCursors({ readSecret: () => readCursorSecret(table, randomBytes), randomBytes });
