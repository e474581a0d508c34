import * as z from 'zod/mini';
import { zonedTime } from './zoned-time.ts';

/**
 * A time in a request. The ids of this service hold no time before 1970, and an offset can move an early one out of the
 * four-digit years.
 */
export const instant = zonedTime.check(
  z.refine((text) => Date.parse(text) >= 0, 'must not be before `1970-01-01T00:00:00Z`'),
);

/**
 * The beginning or the end of a range of records, epoch milliseconds. Records have whole milliseconds, so what is after a
 * finer time is at the next one or later.
 */
export function rangeLimit(text: string): number {
  return Date.parse(text) + (/\.\d{3}0*[1-9]/.test(text) ? 1 : 0);
}
