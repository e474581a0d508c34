import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';

/**
 * Reads a value that `keep` wrote.
 *
 * @param file `undefined` when the stack keeps no data
 * @returns `undefined` when the file does not exist
 * @throws Error that names the file when its content is invalid: kept data is never replaced silently
 */
export async function readKept<T>(file: string | undefined, schema: z.ZodType<T>): Promise<T | undefined> {
  if (file === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`Cannot read ${file}: repair it, or remove the whole folder it is in`, { cause: error });
  }
}

/** Writes a value as JSON, atomically, readable by its owner only; without a file, does nothing. */
export async function keep(file: string | undefined, value: unknown): Promise<void> {
  if (file !== undefined) await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Replaces a file atomically: a reader, or the next run after a crash, sees either the old text or the new one. */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  await rename(await writeBeside(file, text, mode), file);
}

/** Writes a temporary file in the same folder, to rename or link it. */
export async function writeBeside(file: string, text: string, mode = 0o600): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(temporary, text, { mode });
  return temporary;
}
