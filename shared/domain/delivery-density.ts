import { idTime } from './ids.ts';

/**
 * Deliveries that follow each other, by time in one direction. `next`: the last id that was read when others follow;
 * `null` at the end of the span.
 */
export type Stretch = { readonly rows: readonly { readonly id: string }[]; readonly next: string | null };

/** What was read of a span of time. `null`: it was not read. */
export type SpanReads = {
  /** From the beginning, oldest first. */
  readonly head: Stretch;
  /** From the end, newest first, down to the head. */
  readonly tail: Stretch | null;
  /** From a moment between both: up to the tail, and down to the head. */
  readonly middle: { readonly up: Stretch; readonly down: Stretch } | null;
  /** From a later moment, down to where the stretch up from the middle ended. */
  readonly burst: Stretch | null;
};

/** A time of which nothing was read, in milliseconds, with what was read right before and after it. */
type Gap = { readonly length: number; readonly beside: readonly (Stretch | null)[] };

/**
 * The moment in the middle, epoch milliseconds. Not at half: deliveries that come every minute, or every hour, would be
 * met at the same second each time.
 *
 * @returns `null` when nothing was left out between head and tail, or almost no time
 */
export function middleOf({ head, tail }: Pick<SpanReads, 'head' | 'tail'>): number | null {
  if (head.next === null || tail === null || tail.next === null) return null;
  const from = idTime(head.next);
  const length = idTime(tail.next) - from;
  return length < 2 ? null : from + Math.ceil(0.382 * length);
}

/** A pause that is this many times as long as the other intervals parts bursts. */
const longPause = 10;

/** Part of the pause before a burst after which the next pause has begun. */
const burstShare = 0.6;

/**
 * A moment after the burst that follows the middle, epoch milliseconds, so that its length can be read.
 *
 * @returns `null` when the deliveries around the middle are no bursts, or nothing is left out after it
 */
export function afterBurst(reads: Omit<SpanReads, 'burst'>): number | null {
  const { head, tail, middle } = reads;
  if (middle === null || middle.up.next === null || !tail?.next) return null;
  const pause = pauseOf(middle);
  const { time, count } = intervalsIn([head, middle.down, middle.up, tail]);
  const moment = timeOf(middle.up.rows[0]) + Math.floor(burstShare * pause);
  const isInside = moment > idTime(middle.up.next) && moment < idTime(tail.next);
  return isInside && pause * count > longPause * time ? moment : null;
}

/**
 * How many deliveries of a span were not read, by the density of those beside them. A gap that is longer than the pause
 * in its middle may hold more pauses: it is as full as the time of that pause and of the burst after it. A shorter gap has
 * no pause of its own.
 *
 * @param end the end of the span, epoch milliseconds
 */
export function unreadOf({ head, tail, middle, burst }: SpanReads, end: number): number {
  if (head.next === null || tail?.next === null) return 0;
  const left = idTime(head.next);
  const right = tail === null ? end : idTime(tail.next);
  if (middle === null) return countIn({ length: right - left, beside: [head, tail] });
  const { up, down } = middle;
  const pause = pauseOf(middle);
  const before = { length: down.next === null ? 0 : idTime(down.next) - left, beside: [head, down] };
  const after = { length: up.next === null ? 0 : right - idTime(up.next), beside: [up, tail] };
  const length = burst === null ? null : timeOf(burst.rows[0] ?? up.rows.at(-1)) - timeOf(up.rows[0]);
  return [before, after].reduce((sum, gap) => {
    if (gap.length <= pause) return sum + countIn(gap);
    return sum + (length === null ? countIn(gap, pause) : (countIn(gap) * length) / (length + pause));
  }, 0);
}

/** How long no delivery was created around the middle; 0 when it is at the end of what there is. */
function pauseOf({ up, down }: NonNullable<SpanReads['middle']>): number {
  const [after, before] = [up.rows[0], down.rows[0]];
  return after === undefined || before === undefined ? 0 : timeOf(after) - timeOf(before);
}

/** At random times, the pause around a given moment is twice as long as others. */
const pauseIntervals = 2;

/** @param pause milliseconds that belong to the deliveries beside the gap */
function countIn({ length, beside }: Gap, pause = 0): number {
  const { time, count } = intervalsIn(beside);
  // Of intervals between events at random times, one less than their number is what their sum expects.
  const expected = count + (pause > 0 ? pauseIntervals : 0) - 1;
  return (length * Math.max(expected, 0)) / Math.max(time + pause, 1);
}

function intervalsIn(stretches: readonly (Stretch | null)[]) {
  const read = stretches.flatMap((stretch) => (stretch === null ? [] : [stretch.rows]));
  return {
    count: read.reduce((sum, rows) => sum + Math.max(0, rows.length - 1), 0),
    time: read.reduce((sum, rows) => sum + Math.abs(timeOf(rows.at(-1)) - timeOf(rows[0])), 0),
  };
}

const timeOf = (row: { readonly id: string } | undefined): number => (row === undefined ? 0 : idTime(row.id));
