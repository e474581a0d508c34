/**
 * Runs a start-up that adds its parts to a disposable stack. If it fails, ends the parts that it started.
 *
 * @returns the result of `start`; its disposal ends the parts in reverse order, and all of them even if one fails to
 *   end
 */
export async function starting<T extends object>(
  start: (parts: AsyncDisposableStack) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const parts = new AsyncDisposableStack();
  try {
    const started = await start(parts);
    return { ...started, [Symbol.asyncDispose]: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync().catch(() => undefined);
    throw error;
  }
}

/** Runs `end` once: on disposal, or when the process ends earlier. */
export function atExit(end: () => void): Disposable {
  // Prepended, so that parts end in reverse order here too.
  process.prependOnceListener('exit', end);
  return {
    [Symbol.dispose]: () => {
      process.off('exit', end);
      end();
    },
  };
}

type Reporting = {
  readonly onStep: (step: string, durationMs: number) => void;
  /** Aborts the start. */
  readonly signal: AbortSignal;
};

/** Runs one step of the start and reports its duration. Throws if the start was stopped. */
export async function step<Result>(
  { onStep, signal }: Reporting,
  name: string,
  run: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const result = await run();
  onStep(name, performance.now() - startedAt);
  return result;
}

/** Like `Promise.all`, but waits for all promises even if one fails, so that every started part can be ended. */
export async function allStarted<const Parts extends readonly Promise<unknown>[]>(parts: Parts) {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}

/** Waits for `work`, up to a time limit. Resolves to `undefined` when the limit passes first. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const limit = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => limit.resolve(undefined), limitMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
