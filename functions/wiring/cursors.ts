import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { randomBytes } from '#shared/runtime/system.ts';
import { table } from './customer-operation.ts';

/** For the operations that answer a list; apart, so that only they carry it. */
export const cursors = createCursors({ readSecret: readCursorSecret(table, randomBytes), randomBytes });
