import type { PlayedEvent } from './load.ts';

/** Milliseconds. A POST can arrive before the sender has read the answer of the queue; one that is missing is infinite. */
export function acceptedToPost({ acceptedAt, arrivedAt }: PlayedEvent): number {
  return arrivedAt === null ? Number.POSITIVE_INFINITY : Math.max(0, arrivedAt - acceptedAt);
}
