import { randomBytes as cryptoRandomBytes } from 'node:crypto';
import { setTimeout as waitFor } from 'node:timers/promises';
import type { After } from '#shared/operations/ports.ts';

/** The clock and the randomness that handlers pass to their operations. */
export const now = (): number => Date.now();
/** Milliseconds since the process started. Setting the clock does not change it. */
export const monotonic = (): number => performance.now();
export const randomBytes = (size: number): Uint8Array => cryptoRandomBytes(size);

export const after: After = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

export const wait = async (milliseconds: number): Promise<void> => {
  await waitFor(milliseconds);
};
