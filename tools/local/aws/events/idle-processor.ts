import { cpus } from 'node:os';

/** The processors of the machine count as busy when they idled for less than this share of the time. */
const idleShare = 0.15;

/** Milliseconds. The system counts in hundredths of a second, so a shorter time would say little. */
const leastMs = 80;

/**
 * Watches whether the machine has a processor to spare. Where the system tells no times of its processors, it seems to
 * have one.
 *
 * @returns the answer for the time between two questions, or for the time before when that was too short
 */
export function watchProcessors(readTimes: () => ProcessorTimes = processorTimes): () => boolean {
  let last = { ...readTimes(), at: performance.now() };
  let isIdle = true;
  return () => {
    const at = performance.now();
    if (at - last.at < leastMs) return isIdle;
    const now = { ...readTimes(), at };
    const total = now.total - last.total;
    isIdle = total === 0 || (now.idle - last.idle) / total >= idleShare;
    last = now;
    return isIdle;
  };
}

/** Milliseconds of all processors since the machine started. */
type ProcessorTimes = { readonly idle: number; readonly total: number };

function processorTimes(): ProcessorTimes {
  const times = cpus().map((each) => each.times);
  const all = times.flatMap((each) => Object.values(each));
  const sum = (values: readonly number[]) => values.reduce((so, each) => so + each, 0);
  return { idle: sum(times.map(({ idle }) => idle)), total: sum(all) };
}
