import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';
import { TextField } from './fields.tsx';
import { passFocus } from './page.tsx';
import { FailureCard } from './states.tsx';

/**
 * Something that a button does. It does nothing while it is busy: a second click sends nothing twice.
 *
 * @param act its request
 * @returns with why the last run failed
 */
export function useAction<Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { current: now } = useRef({ running: false, left: false });
  useEffect(() => {
    return () => {
      now.left = true;
    };
  }, []);
  const run = async (...args: Args) => {
    if (now.running) return;
    now.running = true;
    setBusy(true);
    setFailure(null);
    const failed = await act(...args).then(() => null, failureOf);
    now.running = false;
    if (now.left) return;
    setBusy(false);
    setFailure(failed);
  };
  return { busy, failure, run };
}

type ActProps = {
  readonly label: string;
  readonly busyLabel?: string;
  readonly kind?: string;
  /** What did not work after a failure: `Could not stop`. */
  readonly failed: string;
  readonly act: () => Promise<void>;
};

/** A button that does something, with the reason above it when it did not work. */
export function ActionButton({ label, busyLabel = 'One moment…', kind = '', failed, act }: ActProps) {
  const { busy, failure, run } = useAction(act);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => passFocus(button.current), []);
  return (
    <>
      {failure !== null && <FailureCard failure={failure} what={failed} />}
      <button ref={button} type="button" class={`button ${kind}`} aria-disabled={busy} onClick={() => void run()}>
        {busy ? busyLabel : label}
      </button>
    </>
  );
}

type Question = {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  /** Text that the reader has to type before. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<void>;
  readonly children: ComponentChildren;
};

type ButtonProps = Question & {
  readonly label: string;
  readonly kind?: string;
  /** Whether it does without the question. */
  readonly unasked?: boolean;
};

/** A button that asks before it does something. */
export function ConfirmButton({ label, kind = '', unasked = false, ...question }: ButtonProps) {
  const [asking, setAsking] = useState(false);
  const onClick = () => (unasked ? void question.onConfirm() : setAsking(true));
  return (
    <>
      <button type="button" class={`button ${kind}`} onClick={onClick}>
        {label}
      </button>
      {asking && <ConfirmDialog {...question} onClose={() => setAsking(false)} />}
    </>
  );
}

type DialogProps = Question & { readonly onClose: () => void };

/** A question before something happens. A failure shows in the dialog, which stays open. */
function ConfirmDialog({ title, action, danger, typed, onConfirm, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const { busy, failure, run } = useAction(() => onConfirm().then(() => dialog.current?.close()));
  const isReady = typed === undefined || text.trim() === typed;
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
          <TextField
            label={`Type ${typed} to confirm`}
            value={text}
            onText={setText}
            error={null}
            input={{ spellcheck: false }}
          />
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
