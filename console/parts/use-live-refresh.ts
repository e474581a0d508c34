import { useEffect, useRef } from 'preact/hooks';
import { isLasting } from '../api/failure.ts';
import { useSession } from '../session/session.ts';
import type { Load } from './use-load.ts';

type Options<T> = {
  /** Whether the value no longer changes by itself. */
  readonly isSettled?: (value: T) => boolean;
  /** When the value changes by itself, for example by the next attempt: ISO 8601, or `null`. */
  readonly dueAt?: (value: T) => string | null;
};

/** Milliseconds that something planned is given to happen. */
const grace = 1_000;

/**
 * Refreshes a view while its tab is visible, as often as the request limit allows, when something planned is due, and
 * once when the reader returns to the tab. It ends when nothing can change any more.
 */
export function useLiveRefresh<T>(load: Load<T>, { isSettled, dueAt }: Options<T> = {}): void {
  const { refreshes } = useSession().api;
  const { value, failure } = load;
  const refresh = useRef(load.reload);
  refresh.current = load.reload;
  // The timer of the next refresh may have begun before the answer that refuses it.
  const notBefore = useRef(0);
  useEffect(() => {
    const seconds = failure?.kind === 'problem' ? (failure.retryAfter ?? 0) : 0;
    notBefore.current = Date.now() + seconds * 1_000;
  }, [failure]);
  const isOver = value === null ? failure !== null && isLasting(failure) : isSettled?.(value) === true;
  useEffect(() => {
    if (isOver) return;
    const leave = refreshes.join();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const wait = () => {
      clearTimeout(timer);
      if (left || document.hidden) return;
      timer = setTimeout(run, refreshes.delay());
    };
    const run = () => {
      clearTimeout(timer);
      const rest = notBefore.current - Date.now();
      if (rest > 0) timer = setTimeout(run, rest);
      else void refresh.current().finally(wait);
    };
    const onVisibility = () => (document.hidden ? clearTimeout(timer) : run());
    document.addEventListener('visibilitychange', onVisibility);
    wait();
    return () => {
      left = true;
      leave();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [refreshes, isOver]);

  const due = value === null ? null : (dueAt?.(value) ?? null);
  useEffect(() => {
    const left = due === null ? -1 : Date.parse(due) - Date.now();
    if (!(left > 0)) return;
    const timer = setTimeout(() => {
      if (!document.hidden && notBefore.current <= Date.now()) void refresh.current();
    }, left + grace);
    return () => clearTimeout(timer);
  }, [due]);
}
