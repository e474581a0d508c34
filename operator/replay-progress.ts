import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import { duration } from './duration.ts';
import type { Output } from './output.ts';

/** The end of a bulk replay, estimated from its pace. */
export type ProgressText = { readonly done: number; readonly line: string };

/**
 * One line about a run of bulk replays.
 *
 * @param planned number of deliveries in the plan
 * @param rate replays a second
 */
export function progressText(jobs: readonly BulkReplay[], planned: number, rate: number): ProgressText {
  const replayed = jobs.reduce((sum, job) => sum + job.replayed, 0);
  const skipped = jobs.reduce((sum, job) => sum + job.skipped, 0);
  const done = replayed + skipped;
  const rest = Math.max(0, planned - done);
  const percent = planned === 0 ? 100 : Math.min(100, Math.floor((done * 100) / planned));
  const left = rest === 0 ? 'finishing' : `about ${duration(Math.ceil(rest / rate) * 1000)} left`;
  const extra = skipped === 0 ? '' : `, ${skipped} skipped`;
  const current = jobs.at(-1);
  const job = current === undefined ? '' : `${current.id}: `;
  return { done, line: `${job}replayed ${replayed} of ${planned}${extra} (${percent} %), ${left}` };
}

export type ProgressLine = {
  readonly show: (text: ProgressText) => void;
  /** Ends the line, so that other output begins on its own line. */
  readonly end: () => void;
};

const toLineStart = '\r\u001b[K';

/** On a terminal, one line that is drawn again; elsewhere, a line whenever the count has changed. */
export function progressLine(print: Output, isTerminal: boolean): ProgressLine {
  let last: string | null = null;
  const show = ({ done, line }: ProgressText): void => {
    const key = isTerminal ? line : String(done);
    if (key === last) return;
    last = key;
    print(isTerminal ? `${toLineStart}${line}` : `${line}\n`);
  };
  const end = (): void => {
    if (isTerminal && last !== null) print('\n');
    last = null;
  };
  return { show, end };
}
