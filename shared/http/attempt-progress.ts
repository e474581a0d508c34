import type { AttemptTimings } from '#shared/domain/attempt.ts';

export type Phase = keyof AttemptTimings;

/** Tracks the phases of one attempt: their durations, and the current one. */
export class AttemptProgress {
  readonly #now: () => number;
  readonly #startedAt: number;
  #phaseStartedAt: number;
  #phase: Phase = 'dnsMs';
  #timings: AttemptTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
    this.#phaseStartedAt = this.#startedAt;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get timings(): AttemptTimings {
    return this.#timings;
  }

  /** Whole milliseconds since the start. */
  get durationMs(): number {
    return this.#since(this.#startedAt);
  }

  begin(phase: Phase): void {
    this.#phase = phase;
    this.#phaseStartedAt = this.#now();
  }

  /** Ends the current phase. A phase that never ends keeps `null`. */
  end(): void {
    this.#timings = { ...this.#timings, [this.#phase]: this.#since(this.#phaseStartedAt) };
  }

  /** If the clock is set back, a duration must not become negative. */
  #since(start: number): number {
    return Math.max(0, Math.round(this.#now() - start));
  }
}
