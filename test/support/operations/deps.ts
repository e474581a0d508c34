import type { RandomBytes, Report, TelemetryEvent } from '#shared/operations/ports.ts';

/** Stands for a port that the test does not expect to be used. */
export function unexpected(port: string): () => never {
  return () => {
    throw new Error(`The test did not expect a call of ${port}`);
  };
}

/** A clock that stands still until it is moved. */
export function createClock(start: number) {
  let time = start;
  return {
    now: () => time,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

/** Randomness that counts up, so that no two results are alike and every run is. */
export function countingBytes(): RandomBytes {
  let count = 0;
  return (size) => {
    count += 1;
    return new Uint8Array(size).fill(count);
  };
}

/** Keeps what was reported. */
export function createReports(): { readonly report: Report; readonly events: TelemetryEvent[] } {
  const events: TelemetryEvent[] = [];
  return { events, report: (event) => void events.push(event) };
}

/** Keeps the order in which things happened, in a test's own words. */
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
