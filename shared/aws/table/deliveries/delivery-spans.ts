import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { firstIdAt, idTime } from '#shared/domain/ids.ts';
import { deliveriesPartition } from '../keys.ts';

/** A range of the sort keys of one partition of deliveries. Both ends are included, and neither is an id. */
export type DeliverySpan = { readonly pk: string; readonly first: string; readonly last: string };

/** Sorts after every character of an id. */
const lastCharacter = '~';

/**
 * The deliveries of an endpoint that were created in a span of time, one range for each partition; none for an empty
 * span.
 *
 * @param times epoch milliseconds; `createdBefore` is not included
 */
export function spansOf(
  endpoint: DeliveryHistory,
  times: { readonly createdAfter: number; readonly createdBefore: number },
): readonly DeliverySpan[] {
  const length = times.createdAfter < times.createdBefore ? endpoint.deliveryPartitions : 0;
  return Array.from({ length }, (_, partition) => ({
    pk: deliveriesPartition(endpoint.customerId, endpoint.id, partition),
    first: firstIdAt('delivery', times.createdAfter),
    last: firstIdAt('delivery', times.createdBefore),
  }));
}

/** The part of a span after an id; `null` when the id is later than the span. */
export function spanAfter(span: DeliverySpan, id: string): DeliverySpan | null {
  const first = `${id}${lastCharacter}`;
  return first < span.last ? { ...span, first } : null;
}

/** Divides spans into pieces of equal time until there are about `count`, so that they can be read concurrently. */
export function dividedSpans(spans: readonly DeliverySpan[], count: number): readonly DeliverySpan[] {
  if (spans.length === 0 || spans.length >= count) return spans;
  const pieces = Math.ceil(count / spans.length);
  return spans.flatMap((span) => divided(span, pieces));
}

function divided(span: DeliverySpan, pieces: number): readonly DeliverySpan[] {
  const from = idTime(span.first);
  const width = Math.floor((idTime(span.last) - from) / pieces);
  if (width < 1) return [span];
  const cuts = Array.from({ length: pieces - 1 }, (_, index) => firstIdAt('delivery', from + (index + 1) * width));
  return [span.first, ...cuts].map((first, index) => ({ ...span, first, last: cuts[index] ?? span.last }));
}
