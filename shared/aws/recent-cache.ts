import type { Clock } from '#shared/operations/ports.ts';

/** `timeToLive` in milliseconds. */
export type CacheSettings<Value> = {
  readonly maxEntries: number;
  readonly timeToLive: number;
  readonly now: Clock;
  /** Milliseconds since a fixed moment. */
  readonly monotonic: Clock;
  /** Those of another cache, to share them with it. */
  readonly entries?: Entries<Value>;
};

export type Entries<Value> = Map<string, { readonly value: Value; readonly readAt: Moment }>;

/** What was read a short time ago, by name. The oldest entry is removed first. */
export class RecentCache<Value> {
  readonly #entries: Entries<Value>;
  readonly #settings: CacheSettings<Value>;

  constructor(settings: CacheSettings<Value>) {
    this.#settings = settings;
    this.#entries = settings.entries ?? new Map();
  }

  /** Taken before a read, which may be slow. */
  moment(): Moment {
    return { now: this.#settings.now(), monotonic: this.#settings.monotonic() };
  }

  get(name: string, at: Moment): Value | undefined {
    const entry = this.#entries.get(name);
    return entry !== undefined && isRecent(entry.readAt, at, this.#settings.timeToLive) ? entry.value : undefined;
  }

  set(name: string, value: Value, readAt: Moment): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, readAt });
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size > this.#settings.maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }
}

/** A time by two clocks, in milliseconds: the time of day, and one that nobody sets. */
type Moment = { readonly now: number; readonly monotonic: number };

/**
 * Whether what was read at one moment still counts at another. Both clocks have to say so: the time of day may be set
 * back, and the other clock may stand still while the process is frozen.
 */
function isRecent(readAt: Moment, at: Moment, timeToLive: number): boolean {
  const age = at.now - readAt.now;
  return age >= 0 && age < timeToLive && at.monotonic - readAt.monotonic < timeToLive;
}
