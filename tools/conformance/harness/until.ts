import { Mismatch } from './expect.ts';

/** The time of a run, in milliseconds. */
export type Clock = { readonly now: () => number; readonly sleep: (ms: number) => Promise<void> };

/** Milliseconds of a look, pause excluded, beyond which the service or its machine is busy, or far away. */
const promptMs = 200;

/**
 * Polls until `look` returns a result. Counts only the pauses towards the time limit, not the response times, and a pause
 * after a slow look in part, so that a slow or distant service gets more time.
 *
 * @param what completes the sentence "expected to see …"
 * @throws Mismatch after `seconds` of pauses
 */
export async function until<Found>(
  { now, sleep }: Clock,
  what: string,
  look: () => Promise<Found | undefined>,
  { seconds = 15, everyMs = 100 } = {},
): Promise<Found> {
  const begun = now();
  for (let pausedMs = 0; ; ) {
    const lookedAt = now();
    const found = await look();
    if (found !== undefined) return found;
    if (pausedMs >= seconds * 1_000) {
      throw new Mismatch(`to see ${what}`, `nothing within ${Math.round((now() - begun) / 1_000)} s`);
    }
    await sleep(everyMs);
    pausedMs += (everyMs * promptMs) / Math.max(promptMs, now() - lookedAt - everyMs);
  }
}
