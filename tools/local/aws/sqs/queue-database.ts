import { z } from 'zod';
import { TurnDatabase } from '../turn-database.ts';
import { type Message, messageSchema } from './message.ts';

const tables = `
CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, attributes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL)`;

const json = z.string().transform((text): unknown => JSON.parse(text));
const queueRow = z.object({ name: z.string(), attributes: json.pipe(z.record(z.string(), z.string())) });
const messageRow = z.object({ queue: z.string(), message: json.pipe(messageSchema) });

/** Stores queues and messages on disk. A message that moves between queues is always in exactly one of them. */
export class QueueDatabase {
  readonly #database: TurnDatabase;

  /** @throws Error when another process holds the file */
  constructor(file: string) {
    this.#database = new TurnDatabase(file, tables, 'queues');
  }

  queues(): readonly z.infer<typeof queueRow>[] {
    return z.array(queueRow).parse(this.#database.rows('SELECT * FROM queues ORDER BY rowid'));
  }

  /** In the order in which they came to their queues; none is in flight. */
  messages(): readonly z.infer<typeof messageRow>[] {
    return z.array(messageRow).parse(this.#database.rows('SELECT * FROM messages ORDER BY rowid'));
  }

  storeQueue(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#database.run('INSERT OR REPLACE INTO queues VALUES (?, ?)', name, JSON.stringify(attributes));
  }

  insert(queue: string, message: Message): void {
    this.#database.run('INSERT INTO messages VALUES (?, ?, ?)', message.id, queue, JSON.stringify(message));
  }

  /** Keeps its place among the messages of its queue. */
  update(message: Message): void {
    this.#database.run('UPDATE messages SET message = ? WHERE id = ?', JSON.stringify(message), message.id);
  }

  delete({ id }: Message): void {
    this.#database.run('DELETE FROM messages WHERE id = ?', id);
  }

  close(): void {
    this.#database.close();
  }
}
