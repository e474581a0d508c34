import { randomBytes as cryptoRandomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** The clock and the randomness that handlers pass to their operations. */
export const now = (): number => Date.now();
export const randomBytes = (size: number): Uint8Array => cryptoRandomBytes(size);

export const wait = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds);
};

/** The pauses before retries of a conflicting transaction or an incomplete batch. */
export const backoff = {
  wait,
  random: (): number => Math.random(),
};

/** What the AWS clients need of this process. */
export const host = { environment: (): NodeJS.ProcessEnv => process.env, now, backoff };
