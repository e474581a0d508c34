import { useEffect, useRef } from 'preact/hooks';
import { isLasting } from '../api/failure.ts';
import { useSession } from '../session/session.ts';
import type { Load, Loaded } from './use-load.ts';

type Options<T> = {
  /** Number of requests of one refresh; 1 by default. */
  readonly requests?: number;
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
export function useLiveRefresh<T>(load: Load<T>, { requests = 1, isSettled, dueAt }: Options<T> = {}): void {
  const { api } = useSession();
  const { result, reload } = load;
  const refresh = useRef(reload);
  refresh.current = reload;
  // The timer of the next refresh may have begun before the answer that refuses it.
  const notBefore = useRef(0);
  const pause = pauseOf(result);
  useEffect(() => {
    notBefore.current = Date.now() + pause;
  }, [result]);
  const isOver = isFinal(result, isSettled);
  useEffect(() => {
    if (isOver) return;
    const leave = api.refreshes.join(requests);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const wait = () => {
      clearTimeout(timer);
      if (left || document.hidden) return;
      timer = setTimeout(run, api.refreshes.delay());
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
  }, [api, requests, isOver]);

  const due = result.state === 'ready' ? (dueAt?.(result.value) ?? null) : null;
  useEffect(() => {
    const left = due === null ? -1 : Date.parse(due) - Date.now();
    if (!(left > 0)) return;
    const timer = setTimeout(() => {
      if (!document.hidden && notBefore.current <= Date.now()) void refresh.current();
    }, left + grace);
    return () => clearTimeout(timer);
  }, [due]);
}

/** Milliseconds in which the API refuses the next request. */
function pauseOf<T>(result: Loaded<T>): number {
  const failure = result.state === 'failed' ? result.failure : result.state === 'ready' ? result.stale : null;
  return failure?.kind === 'problem' ? (failure.retryAfter ?? 0) * 1_000 : 0;
}

function isFinal<T>(result: Loaded<T>, isSettled: ((value: T) => boolean) | undefined): boolean {
  if (result.state === 'failed') return isLasting(result.failure);
  return result.state === 'ready' && isSettled?.(result.value) === true;
}
