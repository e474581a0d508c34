import { useEffect, useRef } from 'preact/hooks';
import { isLasting } from '../api/failure.ts';
import { useSession } from '../session/session.ts';
import type { Load } from './use-load.ts';

/** How a value changes by itself. */
export type Live<T> = {
  /** Whether it no longer does. */
  readonly isSettled?: (value: T) => boolean;
  /** When it does, for example by the next attempt: ISO 8601, or `null`. */
  readonly dueAt?: (value: T) => string | null;
};

/** Milliseconds that something planned is given to happen. */
const grace = 1_000;

/**
 * Reads again what could not be read. A value that changes by itself is refreshed while its tab is visible, as often as
 * the request limit allows, when something planned is due, and once when the reader returns to the tab.
 */
export function useLiveRefresh<T>({ value, failure, reload }: Load<T>, live?: Live<T>): void {
  const { refreshes } = useSession().api;
  // The timer of the next refresh may have begun before the answer that refuses it.
  const notBefore = useRef(0);
  useEffect(() => {
    const seconds = failure?.kind === 'problem' ? (failure.retryAfter ?? 0) : 0;
    notBefore.current = Date.now() + seconds * 1_000;
  }, [failure]);
  const isWaited = value === null || live === undefined || live.isSettled?.(value) === true;
  const isOver = isWaited && (failure === null || isLasting(failure));
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
      else void reload().finally(wait);
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

  const due = value === null ? null : (live?.dueAt?.(value) ?? null);
  useEffect(() => {
    const left = due === null ? -1 : Date.parse(due) - Date.now();
    if (!(left > 0)) return;
    const timer = setTimeout(() => {
      if (!document.hidden && notBefore.current <= Date.now()) void reload();
    }, left + grace);
    return () => clearTimeout(timer);
  }, [due]);
}
