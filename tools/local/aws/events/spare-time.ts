import { cpus } from 'node:os';

type Times = { readonly idle: number; readonly total: number };

/** Below this share of idle processor time, more work at once only makes each part of it wait longer. */
const enoughIdle = 0.1;
const measureEveryMs = 200;

/**
 * Whether this machine has had processor time to spare, over the last fifth of a second or more.
 *
 * @returns a function that measures at most five times a second
 */
export function watchSpareTime(read: () => Times = readTimes): () => boolean {
  let last = read();
  let measuredAt = performance.now();
  let hasSpare = true;
  return () => {
    const now = performance.now();
    if (now - measuredAt < measureEveryMs) return hasSpare;
    const current = read();
    const total = current.total - last.total;
    hasSpare = total <= 0 || (current.idle - last.idle) / total >= enoughIdle;
    last = current;
    measuredAt = now;
    return hasSpare;
  };
}

function readTimes(): Times {
  let [idle, total] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.idle + times.user + times.sys + times.nice + times.irq;
  }
  return { idle, total };
}
