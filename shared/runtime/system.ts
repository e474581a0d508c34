import { randomBytes as cryptoRandomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** Time and chance, as every handler passes them to its operation. */
export const now = (): number => Date.now();
export const randomBytes = (size: number): Uint8Array => cryptoRandomBytes(size);

export const wait = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds);
};

/** How a transaction that lost against another one waits before its next try. */
export const backoff = {
  wait,
  random: (): number => Math.random(),
};
