import { setTimeout as sleep } from 'node:timers/promises';
import type { Listening } from './start-listening.ts';

export type WatchOptions = {
  /** Milliseconds between two looks: rarely enough for the request limit of the key. */
  readonly everyMs: number;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called when the API stops to respond, and again after it has responded in between. */
  readonly onSilence: (reason: string) => void;
};

/**
 * Waits until the endpoint receives no more events: someone deleted it, or a stack without kept data was started again.
 * Without this watch, the program would wait for events that cannot come.
 *
 * @returns false when the signal ended the watch
 */
export async function endpointGone(listening: Listening, options: WatchOptions): Promise<boolean> {
  let responded = true;
  while (await passed(options)) {
    try {
      if (!(await listening.isActive())) return !options.signal.aborted;
      responded = true;
    } catch (error) {
      if (responded && !options.signal.aborted)
        options.onSilence(String(error instanceof Error ? error.message : error));
      responded = false;
    }
  }
  return false;
}

async function passed({ everyMs, signal }: WatchOptions): Promise<boolean> {
  return await sleep(everyMs, true, { signal }).catch(() => false);
}
