import { availableParallelism, cpus } from 'node:os';

/** Processors count as busy when they idled for less than this share of the time. */
const idleShare = 0.15;

/** Milliseconds. The system counts in hundredths of a second, so a shorter time would say little. */
const leastMs = 80;

/** Milliseconds of processor time since some moment. */
type ProcessorTimes = {
  /** Of all processors of the machine. Both are 0 where the system does not tell them. */
  readonly idle: number;
  readonly total: number;
  /** What this process used, which may be all that a container has. */
  readonly own: number;
};

/**
 * Watches whether this process could have more of a processor than it uses.
 *
 * @returns the answer for the time between two questions, or for the time before when that was too short
 */
export function watchProcessors(
  readTimes: () => ProcessorTimes = processorTimes,
  processors = availableParallelism(),
): () => boolean {
  let last = { ...readTimes(), at: performance.now() };
  let isIdle = true;
  return () => {
    const at = performance.now();
    if (at - last.at < leastMs) return isIdle;
    const now = { ...readTimes(), at };
    const since = (name: keyof typeof now) => now[name] - last[name];
    const isMachineIdle = since('total') === 0 || since('idle') / since('total') >= idleShare;
    isIdle = isMachineIdle && since('own') / (since('at') * processors) <= 1 - idleShare;
    last = now;
    return isIdle;
  };
}

function processorTimes(): ProcessorTimes {
  const times = cpus().map((each) => each.times);
  const sum = (values: readonly number[]) => values.reduce((so, each) => so + each, 0);
  const { user, system } = process.cpuUsage();
  return {
    idle: sum(times.map(({ idle }) => idle)),
    total: sum(times.flatMap((each) => Object.values(each))),
    own: (user + system) / 1_000,
  };
}
