import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

/** SQLite's code for what another connection holds. */
const heldSchema = z.object({ errcode: z.literal(5) });
const versionSchema = z.object({ user_version: z.number() });

/** A connection that nobody refers to is closed some time, and its lock with it. */
const held = new Set<DatabaseSync>();

/** How long the write of a claim waits for those who read whose it is, and they for the write. */
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
 * Makes a file this process's own until it is released or the process ends, however that happens. The lock is one of
 * the operating system, taken by SQLite: it cannot be left behind, and of several that come at once one gets it. A file
 * that only holds a process id has neither quality. Nothing but SQLite may open the file: a process that closes a file
 * gives up its locks on it.
 *
 * @returns the function that releases it and removes the file
 * @throws ClaimedError with the id of the process that has it
 */
export function claim(file: string): () => void {
  for (;;) {
    const database = hold(file);
    // Its last owner may have removed the file after it was opened here, and somebody else made a new one.
    if (ownerOf(file) === process.pid) {
      held.add(database);
      return () => release(file, database);
    }
    database.close();
  }
}

/** Holds the right to write, under which others still read who does. */
function hold(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    database.exec(`PRAGMA user_version = ${process.pid}`);
    database.exec(`PRAGMA busy_timeout = ${waitMs}; COMMIT; PRAGMA busy_timeout = 0`);
    // If another stack took it in between, it wrote another id, and this fails.
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

/** Removed while it is still held, so that nobody's new claim is. */
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
