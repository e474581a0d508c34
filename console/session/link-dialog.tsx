import { useEffect, useRef } from 'preact/hooks';
import type { Account } from '../api/records.ts';
import type { LinkNote } from './sessions.ts';

type Props = { readonly note: LinkNote; readonly onAnswer: (isYes: boolean) => void };

/** Says why a link was not opened, or asks before it opens another account. Escape is a no. */
export function LinkDialog({ note, onAnswer }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="link-title" onClose={() => onAnswer(false)}>
      {note.kind === 'refused' ? (
        <>
          <h2 id="link-title">The link was not opened</h2>
          <p>{note.reason}</p>
        </>
      ) : (
        <>
          <h2 id="link-title">
            Leave <Names accounts={note.from} /> and open <Names accounts={[note.to]} />?
          </h2>
          <p>
            The link that you followed opens another account than the one you are signed in to. Everything you register
            or change would be in <Names accounts={[note.to]} />, and everyone with access to it could see it.
          </p>
        </>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {note.kind === 'refused' ? 'OK' : 'Stay'}
        </button>
        {note.kind === 'switch' && (
          <button type="button" class="button primary" onClick={() => onAnswer(true)}>
            Open <Names accounts={[note.to]} />
          </button>
        )}
      </div>
    </dialog>
  );
}

function Names({ accounts }: { readonly accounts: readonly Account[] }) {
  return (
    <>
      {accounts.map(({ id, label }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <bdi>{label}</bdi>
        </span>
      ))}
    </>
  );
}
