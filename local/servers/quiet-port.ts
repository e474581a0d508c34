import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback-server.ts';

/** Below those that systems hand out by themselves. */
const range = { from: 20_000, below: 30_000, tries: 100 };

/**
 * A port that is free, and that no program is given by chance before it is taken, or while it is not held: for what
 * has to be told its port, and for what must have the same one after its next start.
 */
export async function findQuietPort(): Promise<number> {
  for (let left = range.tries; ; left -= 1) {
    const port = randomInt(range.from, range.below);
    try {
      const { close } = await listenOnLoopback(createServer(), port);
      await close();
      return port;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
