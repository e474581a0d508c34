import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';
import { openDatabase } from '../open-database.ts';
import { type Message, messageSchema } from './message.ts';

/** One process at a time: two stacks on one folder would hide messages from each other. */
const tables = `
PRAGMA locking_mode = EXCLUSIVE;
CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, attributes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL)`;

const json = z.string().transform((text): unknown => JSON.parse(text));
const queueRow = z.object({ name: z.string(), attributes: json.pipe(z.record(z.string(), z.string())) });
const messageRow = z.object({ queue: z.string(), message: json.pipe(messageSchema) });

/**
 * Stores queues and messages on disk.
 *
 * All changes of one turn of the event loop form one transaction, committed before any response is sent. So a confirmed
 * change outlives the process, and a message that moves between queues is always in exactly one of them.
 */
export class QueueDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;

  /** @throws Error when another process holds the file */
  constructor(file: string) {
    const problem = `Cannot open the queues in ${file}: end another stack that uses this folder`;
    this.#database = openDatabase(file, tables, problem);
  }

  queues(): readonly z.infer<typeof queueRow>[] {
    return z.array(queueRow).parse(this.#database.prepare('SELECT * FROM queues ORDER BY rowid').all());
  }

  /** In the order in which they came to their queues; none is in flight. */
  messages(): readonly z.infer<typeof messageRow>[] {
    return z.array(messageRow).parse(this.#database.prepare('SELECT * FROM messages ORDER BY rowid').all());
  }

  storeQueue(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#run('INSERT OR REPLACE INTO queues VALUES (?, ?)', name, JSON.stringify(attributes));
  }

  insert(queue: string, message: Message): void {
    this.#run('INSERT INTO messages VALUES (?, ?, ?)', message.id, queue, JSON.stringify(message));
  }

  /** Keeps its place among the messages of its queue. */
  update(message: Message): void {
    this.#run('UPDATE messages SET message = ? WHERE id = ?', JSON.stringify(message), message.id);
  }

  delete({ id }: Message): void {
    this.#run('DELETE FROM messages WHERE id = ?', id);
  }

  close(): void {
    this.#commit();
    this.#database.close();
  }

  #run(sql: string, ...values: readonly string[]): void {
    if (!this.#inTransaction) {
      this.#database.exec('BEGIN');
      this.#inTransaction = true;
      // Queued before the caller can queue its response, so it runs first.
      queueMicrotask(() => this.#commit());
    }
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    statement.run(...values);
  }

  #commit(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    this.#database.exec('COMMIT');
  }
}
