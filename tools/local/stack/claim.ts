import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

/** SQLite's code for a lock that another connection holds. */
const heldSchema = z.object({ errcode: z.literal(5) });
const versionSchema = z.object({ user_version: z.number() });

/** Keeps connections referenced: otherwise the garbage collector closes them and releases their locks. */
const held = new Set<DatabaseSync>();

/** Milliseconds that the writer of a claim and the readers of its owner wait for each other. */
const waitMs = 2_000;

/** Another process, or another part of this one, has claimed the file. */
export class ClaimedError extends Error {
  override readonly name = 'ClaimedError';
  readonly processId: number;

  constructor(file: string, processId: number) {
    super(`The process with id ${processId} has claimed ${file}`);
    this.processId = processId;
  }
}

/**
 * Claims a file for this process, until the claim is released or the process ends, even by `kill -9`. SQLite takes an
 * operating system lock, which only one process can hold and which ends with its process. A file that only contains a
 * process id guarantees neither. Only SQLite may open the file: a process that closes a file loses its locks on it.
 *
 * @returns the function that releases the claim and removes the file
 * @throws ClaimedError with the id of the process that holds the claim
 */
export function claim(file: string): () => void {
  for (;;) {
    const database = hold(file);
    // The previous owner may have removed the file after this process opened it, and another process may have created
    // a new one.
    if (ownerOf(file) === process.pid) {
      held.add(database);
      return () => release(file, database);
    }
    database.close();
  }
}

/** Takes the write lock, under which other processes can still read the id of its owner. */
function hold(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    database.exec(`PRAGMA user_version = ${process.pid}`);
    database.exec(`PRAGMA busy_timeout = ${waitMs}; COMMIT; PRAGMA busy_timeout = 0`);
    // Fails when another stack took the lock in between and wrote its id.
    database.exec('BEGIN IMMEDIATE');
    return database;
  } catch (error) {
    const isHeld = heldSchema.safeParse(error).success;
    if (isHeld) database.exec(`PRAGMA busy_timeout = ${waitMs}`);
    const reason = isHeld ? new ClaimedError(file, ownerIn(database)) : error;
    database.close();
    throw reason;
  }
}

/** Removes the file while holding the lock: later it could be the claim of another process. */
function release(file: string, database: DatabaseSync): void {
  if (!held.delete(database)) return;
  rmSync(file, { force: true });
  database.close();
}

function ownerOf(file: string): number {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: waitMs });
    const owner = ownerIn(database);
    database.close();
    return owner;
  } catch {
    return 0;
  }
}

function ownerIn(database: DatabaseSync): number {
  return versionSchema.parse(database.prepare('PRAGMA user_version').get()).user_version;
}
