import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';

export type Action<Args extends readonly unknown[]> = {
  readonly busy: boolean;
  /** Why the last run failed. */
  readonly failure: Failure | null;
  /** Does nothing while it is busy: a second click sends nothing twice. */
  readonly run: (...args: Args) => Promise<void>;
};

/**
 * Something that a button does.
 *
 * @param act its request
 * @param onDone called afterwards, unless the reader has left
 */
export function useAction<Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<void>,
  onDone?: () => void,
): Action<Args> {
  const [state, setState] = useState<Omit<Action<Args>, 'run'>>({ busy: false, failure: null });
  const running = useRef(false);
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  const run = async (...args: Args) => {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, failure: null });
    let failure: Failure | null = null;
    try {
      await act(...args);
    } catch (thrown) {
      failure = failureOf(thrown);
    }
    running.current = false;
    if (left.current) return;
    setState({ busy: false, failure });
    if (failure === null) onDone?.();
  };
  return { ...state, run };
}
