import type { AttemptTimings } from '#shared/domain/attempt.ts';
import { slowAfter } from '#shared/domain/lane.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { pendingInput } from './pending-input.ts';

export type Phase = keyof AttemptTimings;

/** Tracks the phases of one attempt: their durations, the current one, and whether the other side is slow in it. */
export class AttemptProgress {
  readonly #now: Clock;
  readonly #watch: SlowWatch;
  readonly #startedAt: number;
  #phaseStartedAt: number;
  #sentAt: number | null = null;
  #requests = 0;
  #phase: Phase = 'dnsMs';
  #timings: AttemptTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

  /** @param onSlow called when the other side takes longer than `slowAfter` in a phase */
  constructor(now: Clock, onSlow: () => void = () => {}) {
    this.#now = now;
    this.#watch = new SlowWatch(onSlow);
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

  /** Whether the request was sent a second time. */
  get isRepeated(): boolean {
    return this.#requests > 1;
  }

  /**
   * Milliseconds for which the receiver kept the attempt waiting so far: since the request left, or for a connection.
   * The name server's time is not the receiver's.
   */
  get waitedMs(): number {
    return this.#sentAt === null ? this.durationMs - (this.#timings.dnsMs ?? 0) : this.#since(this.#sentAt);
  }

  /** @param received the bytes that the other side has sent so far in a phase that has several steps */
  begin(phase: Phase, received?: () => number): void {
    this.#phase = phase;
    this.#phaseStartedAt = this.#now();
    this.#watch.start(received);
    if (phase !== 'firstByteMs') return;
    this.#sentAt = this.#phaseStartedAt;
    this.#requests += 1;
  }

  /** Ends the current phase. A phase that never ends keeps `null`. */
  end(): void {
    this.#watch.stop();
    this.#timings = { ...this.#timings, [this.#phase]: this.#since(this.#phaseStartedAt) };
  }

  /** The response has begun and is awaited to its end. */
  awaitEnd(): void {
    this.end();
    this.#watch.start();
  }

  /** Nothing is awaited any more. */
  stop(): void {
    this.#watch.stop();
  }

  /** If the clock is set back, a duration must not become negative. */
  #since(start: number): number {
    return Math.max(0, Math.round(this.#now() - start));
  }
}

/**
 * Notices when the other side keeps an attempt waiting for longer than `slowAfter`. Time of this process does not
 * count: before the watch decides, the process reads everything that the other side had sent by then.
 */
class SlowWatch {
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onSlow called at most once for each wait */
  constructor(onSlow: () => void) {
    this.#onSlow = onSlow;
  }

  /**
   * The other side has everything that it needs, and is waited for from now on.
   *
   * @param received the bytes that it has sent so far; with more of them, the wait begins again
   */
  start(received = () => 0): void {
    this.stop();
    const before = received();
    const timer = setTimeout(async () => {
      await pendingInput();
      if (this.#timer !== timer) return;
      if (received() > before) this.start(received);
      else this.#onSlow();
    }, slowAfter);
    this.#timer = timer;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
