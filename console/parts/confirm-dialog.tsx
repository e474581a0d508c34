import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';
import { FailureCard } from './failure-card.tsx';

type Props = {
  readonly title: string;
  /** Label of the button that does it. */
  readonly action: string;
  /** Whether it destroys something. */
  readonly danger?: boolean;
  /** Text that the reader has to type before. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** A question before something happens. A failure shows in the dialog, which stays open. */
export function ConfirmDialog({ title, action, danger = false, typed, onConfirm, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await onConfirm();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {typed !== undefined && (
          <label class="field">
            <span>{typed.label}</span>
            <input
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              autocomplete="off"
            />
          </label>
        )}
        {failure !== null && <FailureCard failure={failure} what={`${action} did not work`} />}
        <div class="actions">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={`button ${danger ? 'danger' : 'primary'}`}
            disabled={busy || (typed !== undefined && text !== typed.text)}
          >
            {busy ? 'One moment…' : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
