import type { BulkReplay, BulkReplayRequest } from '../../api/records.ts';
import { countOf, isUtcShown, numberText } from '../../parts/texts.ts';

type Counts = Pick<BulkReplay, 'replayed' | 'skipped' | 'outcomes'>;

/** What a bulk replay has done so far, and how it went: `429 resent: 0 delivered, 429 failed`. */
export function countText({ replayed, skipped, outcomes }: Counts): string {
  const sent =
    outcomes === null || replayed === 0
      ? `${countOf(replayed)} resent`
      : `${numberText(replayed)} resent: ${outcomesText(outcomes)}`;
  return skipped === 0 ? sent : `${sent}, ${numberText(skipped)} left out because they had been resent before`;
}

function outcomesText({ delivered, failed, pending }: NonNullable<BulkReplay['outcomes']>): string {
  const open = pending === 0 ? '' : `, ${numberText(pending)} pending`;
  return `${numberText(delivered)} delivered, ${numberText(failed)} failed${open}`;
}

/** The colour of the status of a bulk replay: everything may be resent, and have failed again. */
export function toneOf({ status, outcomes }: Pick<BulkReplay, 'status' | 'outcomes'>): 'open' | undefined {
  return status === 'completed' && (outcomes?.failed || outcomes?.pending) ? 'open' : undefined;
}

/** Whether nothing of a bulk replay changes any more. */
export function isSettled({ status, outcomes }: Pick<BulkReplay, 'status' | 'outcomes'>): boolean {
  return status !== 'running' && !outcomes?.pending;
}

/** The most replays a second that a customer can ask for; an operator can have asked for more. */
const mostRate = 25;

/** What asks for the plan of a bulk replay. */
export function requestOf({ deliveries, rate }: Pick<BulkReplay, 'deliveries' | 'rate'>): BulkReplayRequest {
  const { status, created_after, created_before, source_webhook_id: source } = deliveries;
  const { event_type: type, response, delivery_ids: ids } = deliveries;
  const request = { status, created_after, created_before, rate: Math.min(rate, mostRate) };
  return narrowed({ ...request, ...(ids && { delivery_ids: ids }) }, { type, response, source });
}

/** A request that takes less; `null` and empty values leave it as it is. */
export function narrowed(
  request: BulkReplayRequest,
  given: { readonly [name in 'type' | 'response' | 'source']: string | null },
): BulkReplayRequest {
  const chosen = Object.entries({
    event_type: given.type,
    response: given.response,
    source_webhook_id: given.source?.trim(),
  }).filter(([, value]) => value);
  return { ...request, ...Object.fromEntries(chosen) };
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
 * @param text value of a `datetime-local` input, in the zone in which times are shown
 * @returns `null` when it is no time, or one that has not come yet
 */
export function startTyped(text: string, now: number): string | null {
  const time = new Date(isUtcShown() ? `${text}Z` : text).getTime();
  return Number.isNaN(time) || time > now ? null : new Date(time).toISOString();
}

/** Why a bulk replay was stopped; `null` when it was not. Later versions of the API may add reasons. */
export function stopReason(reason: string | null): string | null {
  if (reason === 'requested') return 'it was stopped on request';
  if (reason === 'webhook_not_active') return 'the endpoint is no longer active';
  return reason;
}
