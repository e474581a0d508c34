import { useEffect, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';

type Props = {
  readonly text: string;
  /** What is copied, for readers of the screen: `delivery id`. */
  readonly what: string;
};

/** A button that copies a text. */
export function CopyButton({ text, what }: Props) {
  const { announce } = useSession();
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
      announce(`Copied ${what}`);
    } catch {
      setState('refused');
      announce(`The browser did not allow copying the ${what}: select and copy it`);
    }
  };
  return (
    <button type="button" class="copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      {state === 'copied' ? 'Copied' : state === 'refused' ? 'Not allowed' : 'Copy'}
    </button>
  );
}

/** An id, with a button that copies it. */
export function Id({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span class="id">
      <code>{id}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}
