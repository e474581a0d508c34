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
