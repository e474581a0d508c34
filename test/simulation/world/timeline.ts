import type { Clock } from '../../../tools/local/aws/clock.ts';

type Due = { readonly time: number; readonly run: () => void };

/**
 * Virtual time. Future events wait in order. Time jumps from one event to the next, so hours of waiting cost nothing.
 *
 * An event begins only after every promise that the previous event continued has settled or waits for a later event:
 * each begins from a microtask that requests the next tick, and Node serves its tick queue when no promise can continue.
 * No timer is involved, and nothing depends on the machine's speed, so a run is the same every time.
 */
export class Timeline {
  #now: number;
  #stopped = false;
  /** The next event is the last. */
  readonly #waiting: Due[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  /** Epoch milliseconds. */
  get now(): number {
    return this.#now;
  }

  after(delay: number, run: () => void): void {
    this.at(this.#now + delay, run);
  }

  at(time: number, run: () => void): void {
    const due = { time: Math.max(time, this.#now), run };
    // Events of one time happen in the order in which they were made.
    let [first, end] = [0, this.#waiting.length];
    while (first < end) {
      const middle = (first + end) >>> 1;
      if ((this.#waiting[middle]?.time ?? 0) > due.time) first = middle + 1;
      else end = middle;
    }
    this.#waiting.splice(first, 0, due);
  }

  /** Drops every event that has not happened yet. */
  stop(): void {
    this.#stopped = true;
  }

  /** Runs every event that is due until then. */
  advanceTo(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        const next = this.#stopped ? undefined : this.#waiting.at(-1);
        if (next === undefined || next.time > end) {
          this.#now = Math.max(this.#now, end);
          resolve();
          return;
        }
        this.#waiting.pop();
        this.#now = next.time;
        try {
          next.run();
        } catch (error) {
          reject(error);
          return;
        }
        process.nextTick(queueMicrotask, step);
      };
      process.nextTick(queueMicrotask, step);
    });
  }
}

/** The clock of what imitates AWS, in virtual time. */
export function clockOf(timeline: Timeline): Clock {
  return {
    now: () => timeline.now,
    setTimer: (callback, delayMs) => {
      let isSet = true;
      timeline.after(delayMs, () => {
        if (isSet) callback();
      });
      return () => {
        isSet = false;
      };
    },
  };
}
