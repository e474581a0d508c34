import { FailureCard } from './failure-card.tsx';
import { useAction } from './use-action.ts';

type Props = {
  readonly label: string;
  /** Label while it is done. */
  readonly busyLabel?: string;
  /** More classes of the button. */
  readonly kind?: string;
  /** What did not work after a failure: `Could not stop`. */
  readonly failed: string;
  readonly act: () => Promise<void>;
  /** Called afterwards, unless the reader has left. */
  readonly onDone?: () => void;
};

/** A button that does something, with the reason above it when it did not work. */
export function ActionButton({ label, busyLabel = 'One moment…', kind = '', failed, act, onDone }: Props) {
  const { busy, failure, run } = useAction(act, onDone);
  return (
    <>
      {failure !== null && <FailureCard failure={failure} what={failed} />}
      <button type="button" class={`button ${kind}`} aria-disabled={busy} onClick={() => void run()}>
        {busy ? busyLabel : label}
      </button>
    </>
  );
}
