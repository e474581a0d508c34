import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../local/receiver/loopback-server.ts';

/** Below those that systems hand out by themselves. */
const range = { from: 20_000, below: 30_000, tries: 100 };

/** A port that is free, and that nobody is given by chance while it is not held. */
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
