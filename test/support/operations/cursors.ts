import { randomBytes } from 'node:crypto';
import { createCursors } from '#shared/runtime/cursors.ts';

const secret = new Uint8Array(32).fill(3);

/** The cursors of the service, under a secret of the tests. */
export const cursors = createCursors({ readSecret: async () => secret, randomBytes });
