import type { Schedule } from './schedule.ts';

/** How many schedules are remembered after they are gone. */
const maxEntries = 10_000;

/** What became of one schedule; times in ISO 8601, `null` for what did not happen. */
export type HistoryEntry = {
  readonly name: string;
  readonly group: string;
  readonly expression: string;
  readonly timezone: string;
  readonly input: string | null;
  readonly created_at: string;
  fired_at: string | null;
  deleted_at: string | null;
  gave_up_at: string | null;
};

/** The newest schedules in the order of their creation, also those that fired and deleted themselves. */
export class ScheduleHistory {
  readonly #entries = new Set<HistoryEntry>();
  readonly #bySchedule = new WeakMap<Schedule, HistoryEntry>();

  add(schedule: Schedule): void {
    const entry: HistoryEntry = {
      name: schedule.Name,
      group: schedule.GroupName,
      expression: schedule.ScheduleExpression,
      timezone: schedule.ScheduleExpressionTimezone,
      input: schedule.Target.Input ?? null,
      created_at: new Date(schedule.createdAt).toISOString(),
      fired_at: schedule.firedAt === null ? null : new Date(schedule.firedAt).toISOString(),
      deleted_at: null,
      gave_up_at: null,
    };
    this.#entries.add(entry);
    this.#bySchedule.set(schedule, entry);
    const oldest = this.#entries.values().next();
    if (this.#entries.size > maxEntries && oldest.done !== true) this.#entries.delete(oldest.value);
  }

  mark(schedule: Schedule, what: 'fired_at' | 'deleted_at' | 'gave_up_at', at: number): void {
    const entry = this.#bySchedule.get(schedule);
    if (entry !== undefined) entry[what] = new Date(at).toISOString();
  }

  list(): readonly HistoryEntry[] {
    return [...this.#entries];
  }
}
