import type { BulkReplay } from '../../api/records.ts';

/** `1 delivery`, `250 deliveries` */
export function countOf(deliveries: number): string {
  return deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`;
}

/** What a bulk replay has done so far. */
export function countText({ replayed, skipped }: Pick<BulkReplay, 'replayed' | 'skipped'>): string {
  const sent = `${countOf(replayed)} resent`;
  return skipped === 0 ? sent : `${sent}, ${skipped} left out because they had been resent before`;
}

/** `about 40 s`, `about 3 min`, `about 2 h 5 min`. @param seconds at least 0 */
export function roughly(seconds: number): string {
  if (seconds < 60) return `about ${Math.max(1, Math.ceil(seconds))} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `about ${minutes} min`;
  const rest = minutes % 60;
  return `about ${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

/**
 * The beginning of a range that the reader typed, as the API takes it.
 *
 * @param text value of a `datetime-local` input, which is in the reader's zone
 * @returns `null` when it is no time, or one that has not come yet
 */
export function startTyped(text: string, now: number): string | null {
  const time = new Date(text).getTime();
  return Number.isNaN(time) || time > now ? null : new Date(time).toISOString();
}

/**
 * Why a bulk replay was stopped; `null` when it was not. Later versions of the API may add reasons.
 *
 * @param isOwn whether the reader has just stopped it: the API does not say who did
 */
export function stopReason(reason: string | null, isOwn: boolean): string | null {
  if (reason === 'requested') return isOwn ? 'you stopped it' : 'it was stopped on request';
  if (reason === 'webhook_not_active') return 'the endpoint is no longer active';
  return reason;
}
