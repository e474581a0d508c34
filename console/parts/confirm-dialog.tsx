import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FailureCard } from './failure-card.tsx';
import { useAction } from './use-action.ts';

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
  const { busy, failure, run } = useAction(onConfirm, () => dialog.current?.close());
  const isReady = typed === undefined || text.trim() === typed.text;
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (isReady && !busy) void run();
  };
  // Closing returns the focus to the button that opened the dialog; while it is busy, its result would be lost.
  const onCancel = (event: Event) => {
    if (busy) event.preventDefault();
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose} onCancel={onCancel}>
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {typed !== undefined && (
          <label class="field">
            <span>{typed.label}</span>
            <input
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
        )}
        {failure !== null && <FailureCard failure={failure} what={`${action} did not work`} />}
        <div class="actions">
          <button type="button" class="button" disabled={busy} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={`button ${danger ? 'danger' : 'primary'}`}
            disabled={!isReady}
            aria-disabled={busy}
          >
            {busy ? 'One moment…' : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
