import type { Cursors } from '#shared/operations/customer/paging.ts';

/** Cursors that anybody can read, bound to their scope as the real ones are. */
export function memoryCursors(): Cursors {
  return {
    seal: async (scope, position) => JSON.stringify([scope, position]),
    open: async (scope, cursor) => {
      const prefix = `[${JSON.stringify(scope)},"`;
      if (!cursor.startsWith(prefix)) throw new Error('a foreign cursor');
      return cursor.slice(prefix.length, -2);
    },
  };
}
