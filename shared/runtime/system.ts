import { randomBytes as cryptoRandomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** Time and chance, as every handler passes them to its operation. */
export const now = (): number => Date.now();
export const randomBytes = (size: number): Uint8Array => cryptoRandomBytes(size);

/** How a transaction that lost against another one waits before its next try. */
export const backoff = {
  wait: async (ms: number): Promise<void> => {
    await setTimeout(ms);
  },
  random: (): number => Math.random(),
};
