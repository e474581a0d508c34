import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats an assertion until it holds, nearly as long as an end-to-end test may take, which then could not say what it
 * waited for. Times in milliseconds.
 *
 * The interval grows: on a slow machine, polling must not reach a customer's rate limit.
 */
export async function eventually<T>(
  look: () => Promise<T>,
  { timeout = 9 * 60_000, interval = 100 }: { readonly timeout?: number; readonly interval?: number } = {},
): Promise<T> {
  // Vitest's own poll works only in a test run; the long runs are separate programs.
  const start = performance.now();
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() - start > timeout) throw error;
    }
    await sleep(Math.max(interval, Math.min((performance.now() - start) / 10, 3_000)));
  }
}

/** The only element of a list. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length !== 1) throw new Error(`Expected one element, not ${list.length}`);
  return first;
}
