import * as z from 'zod/mini';
import { zonedTime } from './zoned-time.ts';

/**
 * A time in a request. The ids of this service hold no time before 1970, and an offset can move an early one out of the
 * four-digit years.
 */
export const instant = zonedTime.check(
  z.refine((text) => Date.parse(text) >= 0, 'must not be before `1970-01-01T00:00:00Z`'),
);
