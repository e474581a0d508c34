import type { Observed, ObservedRange } from '#shared/aws/table/deliveries/observed-deliveries.ts';
import { afterBurst, middleOf, unreadOf } from '#shared/domain/delivery-density.ts';
import type { ObservedDelivery, WeightedDelivery } from '#shared/domain/delivery-stats.ts';
import { firstIdAt, idTime } from '#shared/domain/ids.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import type { StatsWindow } from '#shared/domain/stats-window.ts';
import { ReadRounds, type Sampling } from './read-rounds.ts';

/** The deliveries of a window, or a sample of them. */
export type DeliverySample = {
  readonly deliveries: readonly WeightedDelivery[];
  /** Whether older deliveries are stored. */
  readonly olderLeftOut: boolean;
  /** Whether some stand for others that were not read. */
  readonly sampled: boolean;
};

/**
 * Reads the deliveries of a window, newest first. When one round does not read them all, a second one reads the beginning
 * of each bucket before. Where that leaves deliveries, a third one reads its end, a fourth one around a moment in between,
 * and a fifth one the end of a burst. So bursts and the pauses between them are found, and what lies between these
 * stretches is counted by its density.
 */
export async function sampleDeliveries(sampling: Sampling): Promise<DeliverySample> {
  const { window } = sampling;
  const from = firstIdAt('delivery', window.from);
  const rounds = new ReadRounds(sampling);
  const [parts, older] = await Promise.all([rounds.readNewest(from), rounds.haveBefore(from)]);
  const olderLeftOut = older.includes(true);
  const { rows: merged, next } = mergeNewestFirst(parts, Number.POSITIVE_INFINITY);
  const whole = parts.filter((part) => part.next === null).flatMap(({ rows }) => rows);
  const exact = [...new Set([...merged, ...whole])].map((delivery) => ({ delivery, weight: 1 }));
  if (next === null) return { deliveries: exact, olderLeftOut, sampled: false };
  const open = parts.flatMap((part, partition) => (part.next === null ? [] : partition));
  const spread = { open, earlier: open.filter((partition) => older[partition]) };
  const { deliveries, sampled } = await sampleBefore(next, spread, window, rounds);
  return { deliveries: [...deliveries, ...exact], olderLeftOut, sampled };
}

/** A bucket in one partition. `first` and `end`: the ids from and before which it is. */
type Place = {
  readonly partition: number;
  readonly bucket: number;
  readonly first: string;
  readonly end: string;
};

/** The partitions that hold deliveries of the window which are not known yet. `earlier`: those in use before it. */
type Spread = { readonly open: readonly number[]; readonly earlier: readonly number[] };

/** @param before the id from which on every delivery is known */
async function sampleBefore(
  before: string,
  { open, earlier }: Spread,
  window: StatsWindow,
  rounds: ReadRounds,
): Promise<Pick<DeliverySample, 'deliveries' | 'sampled'>> {
  // Deliveries are divided over all partitions evenly; those from before the endpoint was spread, over the earlier ones.
  const last = open.at(-1);
  const partitions = open.filter((partition, index) => index === 0 || partition === last);
  const spans = await readSpans(
    rounds,
    partitions.flatMap((partition) => placesOf(window, before, partition)),
  );
  const isSpread = (wanted: number) =>
    earlier.at(-1) === last ||
    spans.some(
      ({ place: { partition, bucket }, head }) => partition === last && bucket === wanted && head.rows.length > 0,
    );
  const unread = spans.map((span) => unreadOf(span, idTime(span.place.end)));
  return {
    deliveries: spans.flatMap((span, index) => {
      const scale = isSpread(span.place.bucket) ? open.length / partitions.length : Math.max(1, earlier.length);
      return weighted(span, unread[index] ?? 0, scale);
    }),
    sampled: open.length > partitions.length || unread.some((count) => count > 0),
  };
}

/** The buckets up to an id, oldest first. */
function placesOf({ from, bucketLength }: StatsWindow, before: string, partition: number): readonly Place[] {
  const count = Math.ceil((idTime(before) + 1 - from) / bucketLength);
  return Array.from({ length: count }, (_, bucket) => {
    const end = idAt(from + (bucket + 1) * bucketLength);
    return { partition, bucket, first: idAt(from + bucket * bucketLength), end: end < before ? end : before };
  });
}

type Span = { readonly place: Place } & {
  readonly head: Observed;
  readonly tail: Observed | null;
  readonly middle: { readonly up: Observed; readonly down: Observed } | null;
  readonly burst: Observed | null;
};

async function readSpans(rounds: ReadRounds, places: readonly Place[]): Promise<readonly Span[]> {
  const heads = await rounds.read(
    places.map((place) => ({ ...place, newestFirst: false })),
    1 / 4,
  );
  const begun = places.flatMap((place, index) => {
    const head = heads[index] ?? null;
    return head === null ? [] : { place, head };
  });
  const tails = await rounds.read(begun.map(tailRange), 1 / 3);
  const ended = begun.map((span, index) => ({ ...span, tail: tails[index] ?? null }));
  const middles = await rounds.read(ended.flatMap(middleRanges), 4 / 5);
  const halved = ended.map((span, index) => {
    const [up, down] = [middles[2 * index], middles[2 * index + 1]];
    return { ...span, middle: up && down ? { up, down } : null };
  });
  const bursts = await rounds.read(halved.map(burstRange), 1);
  return halved.map((span, index) => ({ ...span, burst: bursts[index] ?? null }));
}

function tailRange({ place, head }: Pick<Span, 'place' | 'head'>): ObservedRange | null {
  return head.next === null ? null : { ...place, first: after(head.next), newestFirst: true };
}

/** Up from the middle, and down from it. */
function middleRanges({ place, head, tail }: Omit<Span, 'middle' | 'burst'>): readonly (ObservedRange | null)[] {
  const at = middleOf({ head, tail });
  if (at === null || head.next === null || tail === null) return [null, null];
  return [
    { ...place, first: idAt(at), end: tail.next, newestFirst: false },
    { ...place, first: after(head.next), end: idAt(at), newestFirst: true },
  ];
}

function burstRange({ place, ...reads }: Omit<Span, 'burst'>): ObservedRange | null {
  const at = afterBurst(reads);
  const from = reads.middle?.up.next;
  return at === null || !from ? null : { ...place, first: after(from), end: idAt(at), newestFirst: true };
}

function weighted({ head, tail, middle, burst }: Span, unread: number, scale: number) {
  const parts = [head, tail, middle?.up, middle?.down, burst];
  const rows = parts.flatMap((part): readonly ObservedDelivery[] => part?.rows ?? []);
  const weight = (scale * (rows.length + unread)) / rows.length;
  return rows.map((delivery) => ({ delivery, weight }));
}

/** Sorts after an id, and before the next one. */
const after = (id: string): string => `${id}~`;
const idAt = (time: number): string => firstIdAt('delivery', time);
