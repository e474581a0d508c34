import type { Failure } from '../api/failure.ts';
import { FailureCard } from './failure-card.tsx';

type Props = {
  /** Reads the page that follows; `null` on the last one. */
  readonly more: (() => void) | null;
  readonly busy: boolean;
  readonly failure: Failure | null;
  /** What is read: `Runs`. */
  readonly what: string;
};

/** A button below a list that reads the page that follows. */
export function More({ more, busy, failure, what }: Props) {
  if (more === null) return null;
  return (
    <>
      {failure !== null && <FailureCard failure={failure} what={`Could not load older ${what}`} />}
      <button type="button" class="button" disabled={busy} onClick={more}>
        {busy ? 'Loading…' : `Load older ${what}`}
      </button>
    </>
  );
}
