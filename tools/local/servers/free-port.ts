import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback-server.ts';

/** Below the range from which operating systems assign ports. */
const range = { from: 20_000, below: 30_000, tries: 100 };

/**
 * Finds a free port for a server that must keep it across restarts: the operating system does not assign it to another
 * program in the meantime.
 */
export async function findFreePort(): Promise<number> {
  for (let triesLeft = range.tries; ; triesLeft -= 1) {
    try {
      const { port, close } = await listenOnLoopback(createServer(), randomInt(range.from, range.below));
      await close();
      return port;
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
  }
}
