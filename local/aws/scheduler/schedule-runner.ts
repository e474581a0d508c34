import type { Clock } from './clock.ts';
import { type Schedule, type SendMessageInput, scaledDueTime, sendMessageInputSchema } from './schedule.ts';
import type { ScheduleHistory } from './schedule-history.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** Makes the call that a schedule asks for. A rejection means: try again. */
export type SendMessage = (input: SendMessageInput) => Promise<unknown>;

export type RunnerDeps = {
  readonly store: ScheduleStore;
  readonly history: ScheduleHistory;
  readonly clock: Clock;
  readonly sendMessage: SendMessage;
  /** Every wait is this many times shorter. */
  readonly timeScale: number;
  /** Told of each call that failed. */
  readonly onError: (schedule: Schedule, error: unknown) => void;
};

const maxParallelCalls = 32;
const firstBackoffMs = 500;
const maxBackoffMs = 30_000;
const defaultRetryAttempts = 185;
const defaultEventAgeSeconds = 86_400;

/** A schedule whose call failed: how often, since when, and when it is tried again. */
type Retry = { readonly failures: number; readonly firstCallAt: number; readonly dueAt: number };

/**
 * Calls the targets of due schedules, at least once each, with a single timer that is set for the next one.
 * What a schedule leaves behind is written only after its call succeeded.
 */
export class ScheduleRunner {
  readonly #deps: RunnerDeps;
  readonly #retries = new WeakMap<Schedule, Retry>();
  readonly #calls = new Map<Schedule, Promise<void>>();
  #cancelTimer: (() => void) | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** Looks at everything: calls what is due and sets the timer for what comes next. */
  run(): void {
    if (this.#closed) return;
    this.#clearTimer();
    const now = this.#deps.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const schedule of this.#deps.store.schedules()) {
      if (this.#calls.has(schedule) || !isWaiting(schedule)) continue;
      const dueAt = this.#dueAt(schedule);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (this.#calls.size < maxParallelCalls) this.#start(schedule);
    }
    this.#setTimer(next);
  }

  /** A schedule was added: cheaper than looking at everything. */
  added(schedule: Schedule): void {
    const dueAt = this.#dueAt(schedule);
    if (!this.#closed && isWaiting(schedule) && dueAt < this.#timerAt) this.#setTimer(dueAt);
  }

  /** Starts no more calls and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#clearTimer();
    await Promise.all(this.#calls.values());
  }

  #dueAt(schedule: Schedule): number {
    return this.#retries.get(schedule)?.dueAt ?? scaledDueTime(schedule, this.#deps.timeScale);
  }

  #start(schedule: Schedule): void {
    const call = this.#call(schedule).finally(() => {
      this.#calls.delete(schedule);
      this.run();
    });
    this.#calls.set(schedule, call);
  }

  async #call(schedule: Schedule): Promise<void> {
    const { clock, sendMessage, onError } = this.#deps;
    const startedAt = clock.now();
    try {
      await sendMessage(sendMessageInputSchema.parse(JSON.parse(schedule.Target.Input ?? '')));
      this.#complete(schedule, 'fired_at');
    } catch (error) {
      onError(schedule, error);
      this.#fail(schedule, startedAt);
    }
  }

  #fail(schedule: Schedule, startedAt: number): void {
    const earlier = this.#retries.get(schedule);
    const failures = (earlier?.failures ?? 0) + 1;
    const firstCallAt = earlier?.firstCallAt ?? startedAt;
    const now = this.#deps.clock.now();
    const policy = schedule.Target.RetryPolicy;
    const maxAgeMs = (policy?.MaximumEventAgeInSeconds ?? defaultEventAgeSeconds) * 1000;
    if (failures > (policy?.MaximumRetryAttempts ?? defaultRetryAttempts) || now - firstCallAt > maxAgeMs) {
      this.#complete(schedule, 'gave_up_at');
      return;
    }
    const backoffMs = Math.min(firstBackoffMs * 2 ** (failures - 1), maxBackoffMs);
    this.#retries.set(schedule, { failures, firstCallAt, dueAt: now + backoffMs });
  }

  #complete(schedule: Schedule, how: 'fired_at' | 'gave_up_at'): void {
    const { store, history, clock } = this.#deps;
    const now = clock.now();
    this.#retries.delete(schedule);
    history.mark(schedule, how, now);
    const stands = store.get(schedule.GroupName, schedule.Name) === schedule;
    if (!stands) return;
    if (schedule.ActionAfterCompletion === 'DELETE') {
      store.delete(schedule.GroupName, schedule.Name);
    } else {
      schedule.firedAt = now;
      store.put(schedule);
    }
  }

  #setTimer(at: number): void {
    this.#clearTimer();
    if (at === Number.POSITIVE_INFINITY) return;
    this.#timerAt = at;
    this.#cancelTimer = this.#deps.clock.setTimer(() => this.run(), Math.max(0, at - this.#deps.clock.now()));
  }

  #clearTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }
}

function isWaiting(schedule: Schedule): boolean {
  return schedule.firedAt === null && schedule.State === 'ENABLED';
}
