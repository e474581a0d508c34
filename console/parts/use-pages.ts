import { useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';
import { type Load, useLoad } from './use-load.ts';

type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

export type Pages<T> = {
  readonly load: Load<Page<T>>;
  /** Reads the page that follows; `null` on the last one. */
  readonly more: (() => void) | null;
  readonly busy: boolean;
  readonly failure: Failure | null;
};

/**
 * A list that grows page by page.
 *
 * @param key names what is read
 */
export function usePages<T>(
  key: string,
  read: (cursor: string | undefined, signal: AbortSignal | undefined) => Promise<Page<T>>,
): Pages<T> {
  const load = useLoad<Page<T>>(key, (signal) => read(undefined, signal));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const cursor = load.result.state === 'ready' ? load.result.value.next_cursor : null;
  const running = useRef(false);
  const readMore = async (next: string) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setFailure(null);
    try {
      const page = await read(next, undefined);
      load.change((known) => ({ items: [...known.items, ...page.items], next_cursor: page.next_cursor }));
    } catch (thrown) {
      setFailure(failureOf(thrown));
    }
    running.current = false;
    setBusy(false);
  };
  return { load, more: cursor === null ? null : () => void readMore(cursor), busy, failure };
}
