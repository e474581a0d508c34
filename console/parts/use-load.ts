import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, type ApiResponse, resultOf } from '../api/client.ts';
import { type Failure, failureOf } from '../api/failure.ts';
import { useSession } from '../session/session.ts';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | {
      readonly state: 'ready';
      readonly value: T;
      /** Why the last refresh failed; the value is then that of an earlier one. */
      readonly stale: Failure | null;
    };

export type Load<T> = {
  readonly result: Loaded<T>;
  /** The value when it is ready, else `null`. */
  readonly value: T | null;
  /** Reads again, and shows the present value in the meantime. */
  readonly reload: () => Promise<void>;
  /** Changes the present value, for example by what the reader has just done; nothing while there is none. */
  readonly change: (next: (value: T) => T) => void;
};

/**
 * Reads what a view shows, and again when `key` changes. What arrives after the reader has left is ignored.
 *
 * @param key names what is read
 */
export function useLoad<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Load<T> {
  return useMergedLoad(key, read, (_known: T | null, value: T) => value);
}

/**
 * Like `useLoad`, but joins what was read with the value at that moment: it may have changed since the request began.
 *
 * @param merge gets `null` as the first value
 */
export function useMergedLoad<T, Read>(
  key: string,
  read: (signal: AbortSignal) => Promise<Read>,
  merge: (known: T | null, value: Read) => T,
): Load<T> {
  const [entry, setEntry] = useState<{ readonly key: string; readonly result: Loaded<T> }>();
  const latest = useRef(read);
  latest.current = read;
  const running = useRef<AbortController>(undefined);

  const reload = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const show = (next: (known: Loaded<T> | undefined) => Loaded<T>) => {
      if (controller.signal.aborted) return;
      setEntry((known) => ({ key, result: next(known?.key === key ? known.result : undefined) }));
    };
    try {
      const value = await latest.current(controller.signal);
      show((known) => {
        const before = known?.state === 'ready' ? known.value : null;
        return { state: 'ready', value: merge(before, value), stale: null };
      });
    } catch (thrown) {
      const failure = failureOf(thrown);
      show((known) =>
        known?.state === 'ready' ? { ...known, stale: failure } : { state: 'failed', failure },
      );
    }
  }, [key]);

  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, [reload]);

  const change = useCallback(
    (next: (value: T) => T) => {
      setEntry((known) => {
        if (known?.key !== key || known.result.state !== 'ready') return known;
        return { key, result: { ...known.result, value: next(known.result.value) } };
      });
    },
    [key],
  );

  const result: Loaded<T> = entry?.key === key ? entry.result : { state: 'loading' };
  return { result, value: result.state === 'ready' ? result.value : null, reload, change };
}

/**
 * Reads something of the API: see `useLoad`.
 *
 * @param key names what is read
 */
export function useRead<T>(
  key: string,
  request: (api: Api, signal: AbortSignal) => Promise<ApiResponse<T>>,
): Load<T> {
  const { api } = useSession();
  return useLoad(key, (signal) => resultOf(request(api, signal)));
}
