import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan, PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import type { Output } from '../cli/output.ts';
import { duration } from '../cli/text-table.ts';

/** What a run is expected to do. */
export function expectedOf(plan: BulkReplayPlan, { rate }: PlanRequest) {
  const replayedEarlier = plan.endpoints
    .filter(({ deliveries }) => deliveries > 0)
    .reduce((sum, { skipped }) => sum + skipped.replayedEarlier, 0);
  return {
    deliveries: plan.deliveries,
    /** Selected deliveries with an earlier replay, which the jobs skip. */
    replayedEarlier,
    /** Replays a second. */
    rate,
  };
}

export type ProgressText = { readonly replayed: number; readonly line: string };

/** One line about a run of bulk replays: how far it is, and how long the rest takes at its pace. */
export function progressText(
  jobs: readonly BulkReplay[],
  { deliveries, replayedEarlier, rate }: ReturnType<typeof expectedOf>,
): ProgressText {
  const replayed = jobs.reduce((sum, job) => sum + job.replayed, 0);
  // Somebody else replayed these meanwhile.
  const taken = Math.max(0, jobs.reduce((sum, job) => sum + job.skipped, 0) - replayedEarlier);
  const rest = Math.max(0, deliveries - replayed - taken);
  const percent = deliveries === 0 ? 100 : Math.floor(((deliveries - rest) * 100) / deliveries);
  const left = rest === 0 ? 'finishing' : `about ${duration(Math.ceil(rest / rate) * 1000)} left`;
  const job = jobs.at(-1)?.id ?? 'Starting';
  return { replayed, line: `${job}: replayed ${replayed} of ${deliveries} (${percent} %), ${left}` };
}

const toLineStart = '\r\u001b[K';

/** On a terminal, one line that is drawn again; elsewhere, a line whenever the count has changed. */
export function progressLine(print: Output, isTerminal: boolean) {
  let last: string | null = null;
  const show = ({ replayed, line }: ProgressText): void => {
    const key = isTerminal ? line : String(replayed);
    if (key === last) return;
    last = key;
    print(isTerminal ? `${toLineStart}${line}` : `${line}\n`);
  };
  /** Ends the line, so that other output begins on its own line. */
  const end = (): void => {
    if (isTerminal && last !== null) print('\n');
    last = null;
  };
  return { show, end };
}
