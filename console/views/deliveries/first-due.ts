import type { EndpointDelivery } from '../../api/records.ts';

/** When the next attempt of any is planned, from now on; `null` when none is. @param now epoch milliseconds */
export function firstDue(items: readonly EndpointDelivery[], now: number): string | null {
  const planned = items.flatMap(({ next_attempt_at: next }) => (next === null ? [] : [next]));
  const times = planned.filter((next) => Date.parse(next) > now);
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
}
