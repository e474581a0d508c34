import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a database, which it creates if it is missing. Only its owner can read it: SQLite gives the files that it puts
 * beside a database the same mode.
 *
 * @param file default: in memory
 * @param sql creates its tables
 * @param problem what to say, with the next step, when the file cannot be used
 */
export function openDatabase(file = ':memory:', sql: string, problem: string): DatabaseSync {
  if (file !== ':memory:') createFile(file);
  const database = new DatabaseSync(file);
  try {
    // The operating system keeps written data when the process is killed; only a power cut could lose it.
    database.exec(`${sql}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
    return database;
  } catch (error) {
    database.close();
    throw new Error(problem, { cause: error });
  }
}

/** Leaves a file alone that is there: a process that opens and closes it loses the locks that it has on it. */
function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) appendFileSync(file, '', { mode: 0o600 });
}
