type Due = { readonly time: number; readonly sequence: number; readonly run: () => void };

/**
 * Virtual time. Future events wait in a heap. Time jumps from one event to the next, so hours of waiting cost
 * nothing.
 *
 * An event begins only after every promise that the previous event continued has settled or waits for a later event:
 * each begins from a microtask that requests the next tick, and Node serves its tick queue when no promise can continue. No timer is
 * involved, and nothing depends on the machine's speed, so a run is the same every time.
 */
export class Timeline {
  #now: number;
  #sequence = 0;
  #stopped = false;
  readonly #heap: Due[] = [];

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
    this.#sequence += 1;
    push(this.#heap, { time: Math.max(time, this.#now), sequence: this.#sequence, run });
  }

  /** Drops every event that has not happened yet. */
  stop(): void {
    this.#stopped = true;
  }

  /** Runs every event that is due until then. */
  advanceTo(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        const next = this.#stopped ? undefined : this.#heap[0];
        if (next === undefined || next.time > end) {
          this.#now = Math.max(this.#now, end);
          resolve();
          return;
        }
        pop(this.#heap);
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

function isBefore(one: Due, other: Due): boolean {
  return one.time < other.time || (one.time === other.time && one.sequence < other.sequence);
}

function push(heap: Due[], due: Due): void {
  let index = heap.length;
  heap.push(due);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(due, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = due;
}

/** Removes the first event; the last one moves down from the top. */
function pop(heap: Due[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const child = earlierChild(heap, index);
    const below = heap[child];
    if (below === undefined || !isBefore(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
}

function earlierChild(heap: readonly Due[], index: number): number {
  const left = 2 * index + 1;
  const [one, other] = [heap[left], heap[left + 1]];
  return one !== undefined && other !== undefined && isBefore(other, one) ? left + 1 : left;
}
