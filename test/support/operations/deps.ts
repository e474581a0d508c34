import type { After, RandomBytes, Report } from '#shared/operations/ports.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';

/** A port that must not be called. */
export function unexpected(port: string): () => never {
  return () => {
    throw new Error(`The test did not expect a call of ${port}`);
  };
}

/** A clock that only `pass` moves. */
export function createClock(start: number) {
  let time = start;
  return {
    now: () => time,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

/** Timers that run only when the test says so. */
export function createTimers() {
  const pending = new Set<() => void>();
  const after: After = (_milliseconds, run) => {
    // Two timers may run the same function.
    const timer = () => run();
    pending.add(timer);
    return () => void pending.delete(timer);
  };
  /** Runs every timer that was not cancelled. */
  const fire = (): void => {
    for (const run of pending) run();
    pending.clear();
  };
  return { after, fire, running: () => pending.size };
}

/** Random bytes that count up, so that all results differ and every run is the same. */
export function countingBytes(): RandomBytes {
  let count = 0;
  return (size) => {
    count += 1;
    return new Uint8Array(size).fill(count);
  };
}

/** Collects the reported events. */
export function createReports(): { readonly report: Report; readonly events: TelemetryEvent[] } {
  const events: TelemetryEvent[] = [];
  return { events, report: (event) => void events.push(event) };
}

/** Collects the names of calls in their order. */
export function createJournal() {
  const entries: string[] = [];
  return {
    entries,
    note:
      <A extends readonly unknown[], R>(entry: string, run: (...args: A) => R) =>
      (...args: A): R => {
        entries.push(entry);
        return run(...args);
      },
  };
}
