import type { Clock } from '../clock.ts';
import { messageOf, type SendMessageInput } from './schedule.ts';
import type { ScheduleStore, WaitingSchedule } from './schedule-store.ts';

export type RunnerDeps = {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  /** Sends the message of a due schedule. A failed call is retried. */
  readonly sendMessage: (input: SendMessageInput) => Promise<unknown>;
  /** Called with the error of each failed call. */
  readonly onError: (error: unknown) => void;
};

const maxParallelCalls = 32;
const backoffMs = { first: 500, max: 30_000 };

/**
 * Calls the targets of due schedules at least once each, with one timer for the next due time. Marks a schedule as
 * fired only after its call succeeded.
 */
export class ScheduleRunner {
  readonly #deps: RunnerDeps;
  readonly #failures = new Map<number, number>();
  readonly #calls = new Map<number, Promise<void>>();
  #cancelTimer = () => {};
  #isClosed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** Starts the calls of due schedules and sets the timer for the next one. */
  run(): void {
    if (this.#isClosed) return;
    this.#cancelTimer();
    const { store, clock } = this.#deps;
    const now = clock.now();
    for (const schedule of store.due(now, maxParallelCalls)) {
      if (this.#calls.size < maxParallelCalls && !this.#calls.has(schedule.id)) this.#start(schedule);
    }
    const next = store.nextDue(now);
    this.#cancelTimer = next === undefined ? () => {} : clock.setTimer(() => this.run(), next - now);
  }

  /** Stops starting calls and waits for those in flight. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await Promise.all(this.#calls.values());
  }

  #start(schedule: WaitingSchedule): void {
    const call = this.#call(schedule).finally(() => {
      this.#calls.delete(schedule.id);
      this.run();
    });
    this.#calls.set(schedule.id, call);
  }

  async #call({ id, request }: WaitingSchedule): Promise<void> {
    const { store, clock, sendMessage, onError } = this.#deps;
    try {
      await sendMessage(messageOf(request));
      store.markFired(id, clock.now());
      this.#failures.delete(id);
    } catch (error) {
      onError(error);
      const failures = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, failures);
      const waitMs = Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.max);
      store.postpone(id, clock.now() + waitMs);
    }
  }
}
