import * as z from 'zod/mini';

const rule = 'must be an ISO 8601 time with a zone, such as `2026-01-31T12:00:00Z`';

/** A time without a zone could mean several moments. */
export const zonedTime = z.iso.datetime({
  offset: true,
  abort: true,
  error: ({ input }) => (input === undefined ? `is missing and ${rule}` : rule),
});

/**
 * A time in a request. The ids of this service hold no time before 1970, and an offset can move an early one out of the
 * four-digit years.
 */
export const instant = zonedTime.check(
  z.refine((text) => Date.parse(text) >= 0, 'must not be before `1970-01-01T00:00:00Z`'),
);
