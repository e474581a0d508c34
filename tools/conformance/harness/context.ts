import type { Caller, Log } from './client.ts';
import type { SuiteConfig } from './config.ts';
import type { Intake } from './intake.ts';
import type { Receiver } from './receiver.ts';
import type { Slots } from './slots.ts';

/** The tools that checks and scenarios share. */
export type Context = {
  readonly config: SuiteConfig;
  /** Unique per run; prefixes the names of everything that the run creates. */
  readonly tag: string;
  readonly customer: Caller;
  readonly other: Caller;
  /** Sends no credential, unless the headers hold one. */
  readonly anonymous: Caller;
  readonly log: Log;
  /** Throws when the run has none; checks that use it must name it in `needs`. */
  readonly receiver: () => Receiver;
  readonly intake: () => Intake;
  /** Endpoints that can exist at the same time. */
  readonly slots: Readonly<Record<Customer, Slots>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** `size` random characters. */
  readonly randomText: (size: number) => string;
};

/** The two customers of a run. */
export type Customer = 'customer' | 'other';

/** Milliseconds of a look, pause excluded, beyond which the service or its machine is busy, or far away. */
const promptMs = 200;

/**
 * Polls until `look` returns a result. Counts only the pauses towards the time limit, not the response times, and a pause
 * after a slow look in part, so that a slow or distant service gets more time.
 *
 * @param what completes the sentence "… was not seen"
 * @throws Error after `seconds` of pauses
 */
export async function until<Found>(
  ctx: Context,
  what: string,
  look: () => Promise<Found | undefined>,
  { seconds = 15, everyMs = 100 } = {},
): Promise<Found> {
  const begun = ctx.now();
  for (let pausedMs = 0; ; ) {
    const lookedAt = ctx.now();
    const found = await look();
    if (found !== undefined) return found;
    if (pausedMs >= seconds * 1_000) {
      throw new Error(`${what} was not seen within ${Math.round((ctx.now() - begun) / 1_000)} s`);
    }
    await ctx.sleep(everyMs);
    const tookMs = Math.max(promptMs, ctx.now() - lookedAt - everyMs);
    pausedMs += (everyMs * promptMs) / tookMs;
  }
}
