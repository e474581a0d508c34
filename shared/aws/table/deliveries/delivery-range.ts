import type { Delivery } from '#shared/domain/delivery.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { PageRequest } from '#shared/operations/paging.ts';

/** A part of a list of deliveries. */
export type DeliveryPage = PageRequest & {
  readonly matches: ((delivery: Delivery) => boolean) | null;
  /** Only deliveries that were created at this time or later, epoch milliseconds. */
  readonly createdAfter?: number | undefined;
  /** Only deliveries that were created before this time, epoch milliseconds. */
  readonly createdBefore?: number | undefined;
  /** The part of what a request may read that this endpoint takes, up to 1: the rest is for others. Default: all of it. */
  readonly share?: number | undefined;
};

/** A range of sort keys that are ids of deliveries, without its end. `null`: the range is open there. */
export type DeliveryRange = { readonly first: string | null; readonly end: string | null };

/** The ids of a page: below its position, and within its times, because ids begin with their time. */
export function deliveryRange(page: Pick<DeliveryPage, 'after' | 'createdAfter' | 'createdBefore'>): DeliveryRange {
  const { after, createdAfter, createdBefore } = page;
  const ends = [after, createdBefore === undefined ? null : firstIdFrom(createdBefore)];
  const [end = null] = ends.filter((each) => each !== null).sort();
  return { first: createdAfter === undefined ? null : firstIdFrom(createdAfter), end };
}

/** DynamoDB refuses a query for a range that ends before it begins. */
export function isEmptyRange({ first, end }: DeliveryRange): boolean {
  return first !== null && end !== null && first >= end;
}

export function isInRange(id: string, { first, end }: DeliveryRange): boolean {
  return (first === null || id >= first) && (end === null || id < end);
}

/** The condition of a query for a range of one partition, with its values. */
export function rangeCondition(pk: string, range: DeliveryRange) {
  const [bounds, values] = boundsOf(range);
  return {
    KeyConditionExpression: `pk = :pk${bounds}`,
    ExpressionAttributeValues: { ':pk': pk, ...values },
  };
}

function boundsOf({ first, end }: DeliveryRange): readonly [string, Readonly<Record<string, string>>] {
  if (first !== null && end !== null)
    return [' AND sk BETWEEN :first AND :last', { ':first': first, ':last': lastBefore(end) }];
  if (first !== null) return [' AND sk >= :first', { ':first': first }];
  return end === null ? ['', {}] : [' AND sk < :after', { ':after': end }];
}

/** The ids of this service hold no time before 1970. */
function firstIdFrom(time: number): string {
  return firstIdAt('delivery', Math.max(0, time));
}

/** A text after every id below the given text and before that text itself, because `BETWEEN` includes both ends. */
function lastBefore(text: string): string {
  const last = text.length - 1;
  return `${text.slice(0, last)}${String.fromCharCode(text.charCodeAt(last) - 1)}~`;
}
