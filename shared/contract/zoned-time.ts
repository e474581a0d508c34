import * as z from 'zod/mini';

const rule = 'must be an ISO 8601 time with a zone, such as `2026-01-31T12:00:00Z`';

/** A time without a zone could mean several moments. */
export const zonedTime = z.iso.datetime({
  offset: true,
  abort: true,
  error: ({ input }) => (input === undefined ? `is missing and ${rule}` : rule),
});
