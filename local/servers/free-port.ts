import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback-server.ts';

/** Below the range from which systems assign ports themselves. */
const range = { from: 20_000, below: 30_000, tries: 100 };

/**
 * Finds a free port that no system assigns to another program before it is used, or between two runs: for a server
 * that must have the same port after its next start.
 */
export async function findFreePort(): Promise<number> {
  for (let left = range.tries; ; left -= 1) {
    try {
      const { port, close } = await listenOnLoopback(createServer(), randomInt(range.from, range.below));
      await close();
      return port;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
