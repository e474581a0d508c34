import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, type ApiResponse, resultOf } from '../api/client.ts';
import { type Failure, failureOf } from '../api/failure.ts';
import { useSession } from '../session/session.ts';

type Loaded<T> = {
  /** `null` until the first read has a result. */
  readonly value: T | null;
  /** Why the last read failed; the value is then that of an earlier one. */
  readonly failure: Failure | null;
};

export type Load<T> = Loaded<T> & {
  /** Reads again what `key` names by then, and shows the present value in the meantime. */
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
 * @param first the value until the first read has a result
 */
export function useMergedLoad<T, Read>(
  key: string,
  read: (signal: AbortSignal) => Promise<Read>,
  merge: (known: T | null, value: Read) => T,
  first: T | null = null,
): Load<T> {
  const nothing: Loaded<T> = { value: null, failure: null };
  const [entry, setEntry] = useState({ key, ...nothing, value: first });
  const latest = useRef({ key, read });
  latest.current = { key, read };
  const running = useRef<AbortController>(undefined);

  const reload = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const now = latest.current;
    const update = (next: (value: T | null) => Loaded<T>) => {
      if (!signal.aborted) setEntry((known) => ({ key: now.key, ...next(known.key === now.key ? known.value : null) }));
    };
    try {
      const found = await now.read(signal);
      update((value) => ({ value: merge(value, found), failure: null }));
    } catch (thrown) {
      update((value) => ({ value, failure: failureOf(thrown) }));
    }
  }, []);
  // What a reader began before the key changed is about another value.
  const change = (next: (value: T) => T) =>
    setEntry((known) => (known.key !== key || known.value === null ? known : { ...known, value: next(known.value) }));
  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, [key]);

  const { value, failure } = entry.key === key ? entry : nothing;
  return { value, failure, reload, change };
}

/** Reads something of the API: see `useLoad`. */
export function useRead<T>(key: string, request: (api: Api, signal: AbortSignal) => Promise<ApiResponse<T>>): Load<T> {
  const { api } = useSession();
  return useLoad(key, (signal) => resultOf(request(api, signal)));
}
