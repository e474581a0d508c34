import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { transform } from 'esbuild';

/**
 * Writes a TypeScript program as JavaScript, like a deployed function: Node.js would spend time on removing its types.
 *
 * @returns the path of the program
 */
export async function writeProgram(source: URL, folder: string): Promise<string> {
  const { code } = await transform(await readFile(source, 'utf8'), { loader: 'ts', target: 'node24' });
  const file = join(folder, `${basename(source.pathname, '.ts')}.mjs`);
  await writeFile(file, code);
  return file;
}
