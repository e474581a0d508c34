import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { Clock, ScheduleAttempt } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';

/** A schedule in the past is never made: it is due at least this far ahead, in milliseconds. */
const leastAhead = 60_000;

/** Schedules by name, until they are done. */
export class MemoryScheduler {
  readonly #names = new Set<string>();
  readonly #onCreated: (name: string, body: string, dueAt: number) => void;

  /** @param onCreated told of each schedule that is made; it sees to its firing and calls `complete` then */
  constructor(onCreated: (name: string, body: string, dueAt: number) => void) {
    this.#onCreated = onCreated;
  }

  /** Of two schedules with one name, the first stands. */
  create(name: string, body: string, dueAt: number): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#onCreated(name, body, dueAt);
  }

  /** A schedule that fired is gone: its name can be taken again. */
  complete(name: string): void {
    this.#names.delete(name);
  }
}

/** @param now the clock of the function that asks */
export function scheduleAttempt(scheduler: MemoryScheduler, io: Io, now: Clock): ScheduleAttempt {
  return async (due, at) => {
    const dueAt = Math.ceil(Math.max(at, now() + leastAhead) / 1000) * 1000;
    const name = `${due.key.id}-${due.attempt}`;
    await io({ service: 'scheduler', name: `schedule attempt ${due.attempt}` }, () =>
      scheduler.create(name, JSON.stringify(toDeliveryMessage(due)), dueAt),
    );
  };
}
