import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { Clock, ScheduleAttempt } from '#shared/operations/ports.ts';
import type { Io } from '../../support/table/io.ts';

/** A schedule is due at least this far ahead, in milliseconds. */
const minAhead = 60_000;

/** @param lane of the queue that gets the body */
type OnCreated = (name: string, body: string, dueAt: number, lane: Lane) => void;

/** Schedules by name, until they fire. */
export class MemoryScheduler {
  readonly #names = new Set<string>();
  readonly #onCreated: OnCreated;

  /** @param onCreated called for each new schedule; has to fire it, and to call `complete` then */
  constructor(onCreated: OnCreated) {
    this.#onCreated = onCreated;
  }

  /** Of two schedules with one name, the first stands. */
  create(name: string, body: string, dueAt: number, lane: Lane): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#onCreated(name, body, dueAt, lane);
  }

  /** Removes a schedule that fired: its name can be used again. */
  complete(name: string): void {
    this.#names.delete(name);
  }
}

/** @param now the clock of the calling function */
export function scheduleAttempt(scheduler: MemoryScheduler, io: Io, now: Clock): ScheduleAttempt {
  return async (due, at, lane) => {
    const dueAt = Math.ceil(Math.max(at, now() + minAhead) / 1000) * 1000;
    const name = `${due.key.id}-${due.attempt}`;
    await io({ service: 'scheduler', name: `schedule attempt ${due.attempt}` }, () =>
      scheduler.create(name, JSON.stringify(toDeliveryMessage(due)), dueAt, lane),
    );
  };
}
