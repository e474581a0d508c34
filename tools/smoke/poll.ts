import { setTimeout as pause } from 'node:timers/promises';

export type Wait = { readonly seconds: number; readonly signal: AbortSignal };

const firstPauseMs = 100;
/** A key admits 60 requests a minute. */
const maxPauseMs = 2_000;

/**
 * Asks again, at first often and then every two seconds.
 *
 * @param what completes the sentence "… was not seen"
 * @throws Error when the time is over or the run was stopped
 */
export async function poll<Found>(
  what: string,
  { seconds, signal }: Wait,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const until = performance.now() + seconds * 1_000;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() + pauseMs > until) throw new Error(`${what} was not seen within ${seconds} s`);
    await pause(pauseMs, undefined, { signal });
  }
}
