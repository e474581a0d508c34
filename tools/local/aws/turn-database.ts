import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { messageOf } from '../../operator/cli/run-program.ts';
import { openDatabase } from './open-database.ts';

/**
 * A database on disk. All changes of one turn of the event loop form one transaction, committed before any response is
 * sent. So a confirmed change outlives the process, and changes that belong together are all there or none.
 */
export class TurnDatabase {
  readonly #database: DatabaseSync;
  readonly #kept: string;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;

  /**
   * One process at a time: two stacks on one folder would not see each other's changes.
   *
   * @param sql creates its tables
   * @throws Error when another process holds the file
   */
  constructor(file: string, sql: string, what: string) {
    this.#kept = `the ${what} in ${file}`;
    const problem = `Cannot open ${this.#kept}: end another stack that uses this folder`;
    this.#database = openDatabase(file, `PRAGMA locking_mode = EXCLUSIVE; ${sql}`, problem);
  }

  rows(sql: string, ...values: readonly string[]): readonly unknown[] {
    return this.#statement(sql).all(...values);
  }

  run(sql: string, ...values: readonly string[]): void {
    if (!this.#inTransaction) {
      this.#database.exec('BEGIN');
      this.#inTransaction = true;
      // Queued before the caller can queue its response, so it runs first.
      queueMicrotask(() => this.#commit());
    }
    this.#statement(sql).run(...values);
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#commit();
    this.#database.close();
  }

  #commit(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    try {
      this.#database.exec('COMMIT');
    } catch (error) {
      // A change that is not on disk must not be confirmed, and its response would be sent next.
      process.stderr.write(`Cannot keep ${this.#kept} (${messageOf(error)}): make room, then start again\n`);
      process.exit(1);
    }
  }
}
