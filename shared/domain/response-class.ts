import type { AttemptLogEntry } from './attempt.ts';

/** How receivers answered, by the first digit of the status; `none` is an attempt without a response. */
export const responseClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

export type ResponseClass = (typeof responseClasses)[number];

/**
 * How the receiver answered the last attempt.
 *
 * @param log finished attempts, oldest first
 * @returns `null` before the first attempt has ended, and for a status outside 200 to 599
 */
export function responseClassOf(log: readonly Pick<AttemptLogEntry, 'responseStatus'>[]): ResponseClass | null {
  const last = log.at(-1);
  if (last === undefined) return null;
  if (last.responseStatus === null) return 'none';
  const name = `${Math.floor(last.responseStatus / 100)}xx`;
  return responseClasses.find((known) => known === name) ?? null;
}
