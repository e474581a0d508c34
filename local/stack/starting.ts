/**
 * Runs a start of several parts, each of which it puts on a stack. When it fails, the parts that were started are ended.
 *
 * @returns the result of the start; disposing of it ends the parts, the last one first, and all of them also when one
 *   fails
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

/** Runs `end` once: when it is disposed of, or when the process ends before that. */
export function atExit(end: () => void): Disposable {
  // The last part ends first here too.
  process.prependOnceListener('exit', end);
  return {
    [Symbol.dispose]: () => {
      process.off('exit', end);
      end();
    },
  };
}
