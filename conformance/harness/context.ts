import type { Caller, Log } from './client.ts';
import type { SuiteConfig } from './config.ts';
import type { Intake } from './intake.ts';
import type { Receiver } from './receiver.ts';
import type { Slots } from './slots.ts';

/** What checks and scenarios work with. */
export type Context = {
  readonly config: SuiteConfig;
  /** Different in every run: names of this run's things begin with it. */
  readonly tag: string;
  readonly customer: Caller;
  readonly other: Caller;
  /** Without a credential of its own. */
  readonly stranger: Caller;
  readonly log: Log;
  /** Throws when the run was given none; checks that use it say so in `needs`. */
  readonly receiver: () => Receiver;
  readonly intake: () => Intake;
  /** Endpoints that may be registered at once. */
  readonly slots: Readonly<Record<Party, Slots>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** `size` characters that are in no other identifier. */
  readonly randomText: (size: number) => string;
};

/** The two customers of a run. */
export type Party = 'customer' | 'other';

class NotSeenError extends Error {
  override readonly name = 'NotSeenError';
}

/**
 * Looks again and again until there is something. Each look counts for the pause after it, however long its answer
 * took: a service that answers slowly, because it is busy or far away, gets as much more time for everything else.
 *
 * @param what completes the sentence "… was not seen"
 * @throws NotSeenError after `seconds` of pauses
 */
export async function until<Found>(
  ctx: Context,
  what: string,
  look: () => Promise<Found | undefined>,
  { seconds = 15, everyMs = 100 } = {},
): Promise<Found> {
  const begun = ctx.now();
  for (let pausedMs = 0; ; pausedMs += everyMs) {
    const found = await look();
    if (found !== undefined) return found;
    if (pausedMs >= seconds * 1_000) {
      throw new NotSeenError(`${what} was not seen within ${Math.round((ctx.now() - begun) / 1_000)} s`);
    }
    await ctx.sleep(everyMs);
  }
}
