import type { BulkReplay } from './bulk-replay.ts';

/**
 * How the deliveries ended that a bulk replay made. The end of each is added to a tally, a row that holds a mark of it in
 * a set: so it counts once, however often it is added. See docs/decisions/0028-outcomes-of-a-bulk-replay.md.
 */

/** The replays of a bulk replay by their status. */
export type ReplayOutcomes = {
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
};

/** What the tallies of a bulk replay hold. */
export type EndedReplays = Pick<ReplayOutcomes, 'delivered' | 'failed'>;

/** A bulk replay with its outcomes; `null` for a job of a release that did not count them. */
export type CountedReplay = BulkReplay & { readonly outcomes: ReplayOutcomes | null };

/** Replays that one tally counts: with their marks it stays below 1 KB, which one write unit pays for. */
const tallySize = 80;

/** Characters of a mark: 40 random bits, so that two replays of a tally never have the same one. */
const markLength = 8;

/** Milliseconds after the step of a tally for which it is kept: longer than the bulk replay can be read. */
const tallyLife = 120 * 24 * 60 * 60_000;

/** The tally of a replay, as its delivery names it. @param index position among the replays of the step */
export function tallyOf({ id, step }: Pick<BulkReplay, 'id' | 'step'>, index: number): string {
  return `${id}#${step}.${Math.floor(index / tallySize)}`;
}

/** The tallies of a step. @param replays how many it makes at most */
export function talliesOf(job: Pick<BulkReplay, 'id' | 'step'>, replays: number): readonly string[] {
  const tallies = Math.ceil(replays / tallySize);
  return Array.from({ length: tallies }, (_, number) => tallyOf(job, number * tallySize));
}

/** What stands for a delivery in its tally. */
export const tallyMark = (deliveryId: string): string => deliveryId.slice(-markLength);

/** When a tally expires, epoch seconds. @param stepAt epoch milliseconds */
export const tallyExpiry = (stepAt: number): number => Math.ceil((stepAt + tallyLife) / 1000);

/** A step may have made replays that are not counted in `replayed` yet. */
export function outcomesOf({ replayed }: Pick<BulkReplay, 'replayed'>, ended: EndedReplays): ReplayOutcomes {
  return { ...ended, pending: Math.max(0, replayed - ended.delivered - ended.failed) };
}
