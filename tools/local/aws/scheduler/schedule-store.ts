import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';
import { openDatabase } from '../open-database.ts';
import { type CreateSchedule, createScheduleSchema, timeOf } from './schedule.ts';

const tables = `
CREATE TABLE IF NOT EXISTS schedules (
  id INTEGER PRIMARY KEY, group_name TEXT NOT NULL, name TEXT NOT NULL, request TEXT NOT NULL,
  created_at INTEGER NOT NULL, at INTEGER NOT NULL, due_at REAL NOT NULL, fired_at INTEGER);
CREATE INDEX IF NOT EXISTS waiting_by_name ON schedules (group_name, name) WHERE fired_at IS NULL;
CREATE INDEX IF NOT EXISTS waiting_by_time ON schedules (due_at) WHERE fired_at IS NULL`;

/** Number of fired schedules to remember. */
const historyLength = 10_000;

const requestSchema = z.string().transform((text) => createScheduleSchema.parse(JSON.parse(text)));
const waitingSchema = z.object({ id: z.number(), request: requestSchema });
const historySchema = waitingSchema.extend({ created_at: z.number(), fired_at: z.number().nullable() });
const nextSchema = z.object({ next: z.number().nullable() });

/** A schedule that has not fired yet. */
export type WaitingSchedule = z.infer<typeof waitingSchema>;

/** Stores schedules in a database. With a file, every change outlives the process. */
export class ScheduleStore {
  readonly #database: DatabaseSync;
  readonly #timeScale: number;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * @param timeScale factor that shortens every wait, including the waits of schedules from an earlier run
   * @throws Error that names the file when it is not a database of schedules
   */
  constructor(file: string | undefined, timeScale: number) {
    this.#timeScale = timeScale;
    const problem = `Cannot read the schedules in ${file}: repair the file or remove it`;
    this.#database = openDatabase(file, tables, problem);
    this.#database.exec('DELETE FROM schedules WHERE fired_at IS NOT NULL');
    this.#database.prepare('UPDATE schedules SET due_at = created_at + (at - created_at) / ?').run(timeScale);
  }

  /** The waiting schedule of a name in a group. */
  find({ GroupName, Name }: CreateSchedule): WaitingSchedule | undefined {
    const where = 'WHERE group_name = ? AND name = ? AND fired_at IS NULL';
    return this.#waiting(where, GroupName, Name)[0];
  }

  /** @returns its id */
  add(request: CreateSchedule, now: number): number {
    const { GroupName, Name, ScheduleExpression } = request;
    const at = timeOf(ScheduleExpression);
    const dueAt = now + (at - now) / this.#timeScale;
    const columns = 'group_name, name, request, created_at, at, due_at';
    const { lastInsertRowid } = this.#prepare(`INSERT INTO schedules (${columns}) VALUES (?, ?, ?, ?, ?, ?)`).run(
      GroupName,
      Name,
      JSON.stringify(request),
      now,
      at,
      dueAt,
    );
    return Number(lastInsertRowid);
  }

  /** Waiting schedules that are due, the earliest first. */
  due(now: number, limit: number): readonly WaitingSchedule[] {
    return this.#waiting('WHERE fired_at IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?', now, limit);
  }

  /** Time of the earliest schedule that is not yet due; `undefined` when there is none. */
  nextDue(now: number): number | undefined {
    const sql = 'SELECT min(due_at) AS next FROM schedules WHERE fired_at IS NULL AND due_at > ?';
    const { next } = nextSchema.parse(this.#prepare(sql).get(now));
    return next ?? undefined;
  }

  /** Makes the waiting schedules due whose names begin with a text. @returns whether there is one */
  hasten(start: string, now: number): boolean {
    const sql = 'UPDATE schedules SET due_at = ? WHERE fired_at IS NULL AND substr(name, 1, ?) = ?';
    return this.#prepare(sql).run(now, start.length, start).changes > 0;
  }

  postpone(id: number, dueAt: number): void {
    this.#prepare('UPDATE schedules SET due_at = ? WHERE id = ?').run(dueAt, id);
  }

  markFired(id: number, at: number): void {
    this.#prepare('UPDATE schedules SET fired_at = ? WHERE id = ?').run(at, id);
    const forget = 'DELETE FROM schedules WHERE id < ? AND fired_at IS NOT NULL';
    this.#prepare(forget).run(id - historyLength);
  }

  /** Waiting schedules, and those that fired in this run, in order of creation. */
  history() {
    const rows = this.#database.prepare('SELECT * FROM schedules ORDER BY id').all();
    return z
      .array(historySchema)
      .parse(rows)
      .map(({ request, created_at, fired_at }) => ({
        name: request.Name,
        group: request.GroupName,
        expression: request.ScheduleExpression,
        input: request.Target.Input,
        created_at: new Date(created_at).toISOString(),
        fired_at: fired_at === null ? null : new Date(fired_at).toISOString(),
      }));
  }

  close(): void {
    this.#database.close();
  }

  #waiting(where: string, ...values: readonly (string | number)[]): readonly WaitingSchedule[] {
    const rows = this.#prepare(`SELECT id, request FROM schedules ${where}`).all(...values);
    return z.array(waitingSchema).parse(rows);
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
