import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { z } from 'zod';
import type { EmulatorMessage, EmulatorQueue } from './emulator-modules.ts';

const tables = `
CREATE TABLE IF NOT EXISTS queues (
  name TEXT PRIMARY KEY, arn TEXT NOT NULL, attributes TEXT NOT NULL, tags TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (
  id TEXT PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL,
  receive_count INTEGER NOT NULL, first_received_at INTEGER);
CREATE INDEX IF NOT EXISTS messages_by_queue ON messages (queue);`;

const json = z.string().transform((text): unknown => JSON.parse(text));
const textMap = json.pipe(z.record(z.string(), z.string()));
const queueSchema = z.object({ name: z.string(), arn: z.string(), attributes: textMap, tags: textMap });

const attributeSchema = z.object({
  DataType: z.string(),
  StringValue: z.string().exactOptional(),
  BinaryValue: z.string().exactOptional(),
});
const messageSchema = z.object({
  messageId: z.string(),
  body: z.string(),
  md5OfBody: z.string(),
  messageAttributes: z.record(z.string(), attributeSchema),
  md5OfMessageAttributes: z.string(),
  sentTimestamp: z.number(),
  approximateReceiveCount: z.number(),
  approximateFirstReceiveTimestamp: z.number().exactOptional(),
  delayUntil: z.number().exactOptional(),
  messageGroupId: z.string().exactOptional(),
  messageDeduplicationId: z.string().exactOptional(),
  sequenceNumber: z.string().exactOptional(),
});
const messageRowSchema = z.object({
  queue: z.string(),
  message: json.pipe(messageSchema),
  receive_count: z.number(),
  first_received_at: z.number().nullable(),
});

type StoredQueue = z.infer<typeof queueSchema>;
type StoredMessage = { readonly queue: string; readonly message: EmulatorMessage };

/**
 * Stores queues and messages on disk, with the methods that the emulator calls on every change. Replaces the emulator's
 * own database, in which a visibility change to 0 loses the message and a tag change empties the queue.
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
    mkdirSync(dirname(file), { recursive: true });
    this.#database = openExclusively(file);
  }

  queues(): readonly StoredQueue[] {
    return z.array(queueSchema).parse(this.#database.prepare('SELECT * FROM queues ORDER BY rowid').all());
  }

  /** In send order, with their receive counts; none is in flight. */
  messages(): readonly StoredMessage[] {
    const rows = this.#database.prepare('SELECT * FROM messages ORDER BY rowid').all();
    return z.array(messageRowSchema).parse(rows).map(storedMessage);
  }

  insertQueue({ name, arn, attributes, tags }: EmulatorQueue): void {
    this.#run(
      'INSERT OR REPLACE INTO queues (name, arn, attributes, tags) VALUES (?, ?, ?, ?)',
      name,
      arn,
      JSON.stringify(attributes),
      JSON.stringify(Object.fromEntries(tags)),
    );
  }

  deleteQueue(name: string): void {
    this.deleteQueueMessages(name);
    this.#run('DELETE FROM queues WHERE name = ?', name);
  }

  updateQueueAttributes(name: string, attributes: Record<string, string>): void {
    this.#run('UPDATE queues SET attributes = ? WHERE name = ?', JSON.stringify(attributes), name);
  }

  /** Only FIFO queues have a sequence counter, and the service has no FIFO queues. */
  updateQueueSequenceCounter(): void {}

  insertMessage(queue: string, message: EmulatorMessage): void {
    this.#run(
      'INSERT OR REPLACE INTO messages (id, queue, message, receive_count, first_received_at) VALUES (?, ?, ?, ?, ?)',
      message.messageId,
      queue,
      JSON.stringify(message),
      message.approximateReceiveCount,
      message.approximateFirstReceiveTimestamp ?? null,
    );
  }

  deleteMessage(id: string): void {
    this.#run('DELETE FROM messages WHERE id = ?', id);
  }

  updateMessageInflight(
    id: string,
    _receiptHandle: string,
    _visibleAt: number,
    receiveCount: number,
    firstReceivedAt: number | undefined,
  ): void {
    this.#run(
      'UPDATE messages SET receive_count = ?, first_received_at = ? WHERE id = ?',
      receiveCount,
      firstReceivedAt ?? null,
      id,
    );
  }

  /** No change: a message in flight is stored like a waiting one. */
  updateMessageReady(): void {}

  deleteQueueMessages(queue: string): void {
    this.#run('DELETE FROM messages WHERE queue = ?', queue);
  }

  close(): void {
    this.#commit();
    this.#database.close();
  }

  #run(sql: string, ...values: readonly (string | number | null)[]): void {
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

function storedMessage(row: z.infer<typeof messageRowSchema>): StoredMessage {
  const message: EmulatorMessage = { ...row.message, approximateReceiveCount: row.receive_count };
  if (row.first_received_at !== null) message.approximateFirstReceiveTimestamp = row.first_received_at;
  return { queue: row.queue, message };
}

/** Allows one process at a time: two stacks on one folder would hide messages from each other. */
function openExclusively(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    // The operating system keeps written data when the process is killed; only a power cut could lose it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(tables);
    return database;
  } catch (error) {
    database.close();
    throw new Error(`Cannot open the queues in ${file}: end another stack that uses this folder`, {
      cause: error,
    });
  }
}
