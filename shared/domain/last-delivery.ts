import type { Delivery } from './delivery.ts';
import { firstIdAt, idTime } from './ids.ts';

/**
 * When an endpoint was last attempted. An ordinary first attempt writes nothing for it, because the endpoint's newest
 * deliveries show it. The endpoint itself stores only what they may not show: the times of retries, and of first
 * attempts that come late.
 */

/** When a delivery was last attempted; `null` before its first attempt is recorded. */
export type AttemptTime = Pick<Delivery, 'id' | 'lastAttemptAt'>;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A first attempt that starts later than this after the creation of its delivery is late. Milliseconds. */
const lateAfter = minute;

/** The time is stored at most once in this span for each endpoint. Milliseconds. */
const noteInterval = minute;

/** Deliveries on a page, over all partitions: eight of one kilobyte are two read units. */
const pageRows = 8;

/**
 * How much older each further page is than the end of the page before it, in milliseconds. A backlog of any length is
 * behind one of these pages, so the cost of a request does not grow with it.
 */
const jumps = [0, second, 10 * second, minute, 10 * minute, hour, 24 * hour] as const;

/** Number of deliveries that are read from each partition at a time. */
export function attemptPageSize(partitions: number): number {
  return Math.ceil(pageRows / partitions);
}

/**
 * The position of the next page to read after a page of one partition; `null` when no further page is needed. Pages
 * follow while one holds a delivery without an attempt: it may be newer than the one that was attempted last.
 *
 * @param pagesRead including this page
 * @param size the number of rows of a full page
 */
export function nextAttemptPage(page: readonly AttemptTime[], pagesRead: number, size: number): string | null {
  const jump = jumps[pagesRead - 1];
  const oldest = page.at(-1);
  if (jump === undefined || oldest === undefined || page.length < size) return null;
  if (page.every(({ lastAttemptAt }) => lastAttemptAt !== null)) return null;
  return jump === 0 ? oldest.id : firstIdAt('delivery', idTime(oldest.id) - jump);
}

/** The latest of some times; `null` when there is none. */
export function latestTime(times: readonly (number | null)[]): number | null {
  return times.reduce<number | null>((latest, time) => (latest === null || (time ?? 0) > latest ? time : latest), null);
}

/** The start of the last attempt that a page shows. */
export function latestAttempt(page: readonly AttemptTime[]): number | null {
  return latestTime(page.map(({ lastAttemptAt }) => lastAttemptAt));
}

/**
 * Whether an attempt is a first one on time. The newest deliveries show it, and go on to do so until a newer one is
 * attempted.
 *
 * @param at start of the attempt, epoch milliseconds
 */
export function isOnTime({ id, attempts }: Pick<Delivery, 'id' | 'attempts'>, at: number): boolean {
  return attempts === 1 && at - idTime(id) <= lateAfter;
}

/**
 * Whether the deliveries that show an attempt may expire long before the next stored time. The time of an endpoint whose
 * deliveries have all expired is then at most a day early.
 */
export function isOutdated(known: number | null, at: number): boolean {
  return known === null || at - known >= 24 * hour;
}

/** Whether a known time is so recent that the time of an attempt need not be stored as well. */
export function isRecent(known: number | null, at: number): boolean {
  return known !== null && at - known < noteInterval;
}
