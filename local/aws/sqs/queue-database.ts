import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EmulatorMessage, EmulatorQueue } from './emulator-modules.ts';
import { type StoredMessage, type StoredQueue, toMessage, toQueue } from './stored-rows.ts';

const schema = `
CREATE TABLE IF NOT EXISTS queues (
  name TEXT PRIMARY KEY, arn TEXT NOT NULL, attributes TEXT NOT NULL, tags TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (
  id TEXT PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL,
  receive_count INTEGER NOT NULL, first_received_at INTEGER, receipt_handle TEXT, visible_at INTEGER);
CREATE INDEX IF NOT EXISTS messages_by_queue ON messages (queue);`;

/**
 * Queues and messages on disk. It has the methods that the emulator calls at every change, and replaces the
 * emulator's own database, with which a visibility change to 0 loses the message and a tag change empties the
 * queue.
 *
 * All changes of one turn of the event loop are one transaction, committed before any answer is sent: what was
 * answered outlives the process, and a message that moves to another queue is never in neither.
 */
export class QueueDatabase {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  #inTransaction = false;

  /** @throws Error when another process holds the file. */
  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.#database = openExclusively(file);
    this.#statements = prepare(this.#database);
  }

  queues(): StoredQueue[] {
    return this.#statements.listQueues.all().map(toQueue);
  }

  /** In the order in which they were sent. */
  messages(): StoredMessage[] {
    return this.#statements.listMessages.all().map(toMessage);
  }

  insertQueue(queue: EmulatorQueue): void {
    const { name, arn, attributes, tags } = queue;
    this.#write();
    this.#statements.putQueue.run(
      name,
      arn,
      JSON.stringify(attributes),
      JSON.stringify(Object.fromEntries(tags)),
    );
  }

  deleteQueue(name: string): void {
    this.#write();
    this.#statements.deleteMessages.run(name);
    this.#statements.deleteQueue.run(name);
  }

  updateQueueAttributes(name: string, attributes: Record<string, string>): void {
    this.#write();
    this.#statements.setAttributes.run(JSON.stringify(attributes), name);
  }

  /** Only first-in-first-out queues count, and their numbers need not go on where they were. */
  updateQueueSequenceCounter(): void {}

  insertMessage(queue: string, message: EmulatorMessage): void {
    this.#write();
    const { messageId, approximateReceiveCount, approximateFirstReceiveTimestamp } = message;
    this.#statements.putMessage.run(
      messageId,
      queue,
      JSON.stringify(message),
      approximateReceiveCount,
      approximateFirstReceiveTimestamp ?? null,
    );
  }

  deleteMessage(id: string): void {
    this.#write();
    this.#statements.deleteMessage.run(id);
  }

  updateMessageInflight(
    id: string,
    receiptHandle: string,
    visibleAt: number,
    receiveCount: number,
    firstReceivedAt: number | undefined,
  ): void {
    this.#write();
    this.#statements.setInFlight.run(receiptHandle, visibleAt, receiveCount, firstReceivedAt ?? null, id);
  }

  updateMessageReady(id: string): void {
    this.#write();
    this.#statements.setReady.run(id);
  }

  deleteQueueMessages(queue: string): void {
    this.#write();
    this.#statements.deleteMessages.run(queue);
  }

  /** Every message that was in flight is waiting again; how often each was received stays counted. */
  releaseAll(): void {
    this.#statements.releaseAll.run();
  }

  close(): void {
    this.#commit();
    this.#database.close();
  }

  #write(): void {
    if (this.#inTransaction) return;
    this.#database.exec('BEGIN');
    this.#inTransaction = true;
    // Queued before the caller can queue its answer, so it runs before that.
    queueMicrotask(() => this.#commit());
  }

  #commit(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    this.#database.exec('COMMIT');
  }
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  return {
    listQueues: database.prepare('SELECT name, arn, attributes, tags FROM queues ORDER BY rowid'),
    listMessages: database.prepare('SELECT * FROM messages ORDER BY rowid'),
    putQueue: database.prepare(
      'INSERT OR REPLACE INTO queues (name, arn, attributes, tags) VALUES (?, ?, ?, ?)',
    ),
    deleteQueue: database.prepare('DELETE FROM queues WHERE name = ?'),
    setAttributes: database.prepare('UPDATE queues SET attributes = ? WHERE name = ?'),
    putMessage: database.prepare(
      'INSERT OR REPLACE INTO messages (id, queue, message, receive_count, first_received_at) VALUES (?, ?, ?, ?, ?)',
    ),
    deleteMessage: database.prepare('DELETE FROM messages WHERE id = ?'),
    deleteMessages: database.prepare('DELETE FROM messages WHERE queue = ?'),
    setInFlight: database.prepare(
      'UPDATE messages SET receipt_handle = ?, visible_at = ?, receive_count = ?, first_received_at = ? WHERE id = ?',
    ),
    setReady: database.prepare('UPDATE messages SET receipt_handle = NULL, visible_at = NULL WHERE id = ?'),
    releaseAll: database.prepare('UPDATE messages SET receipt_handle = NULL, visible_at = NULL'),
  };
}

/** One process at a time: two stacks on one folder would each hide messages from the other. */
function openExclusively(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    // The operating system keeps what was written when the process is killed; only a power cut needs more.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(schema);
    return database;
  } catch (error) {
    database.close();
    throw new Error(`The queues in ${file} cannot be opened; is another stack using this folder?`, {
      cause: error,
    });
  }
}
