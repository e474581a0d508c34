import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The pages, styles and images that a synthesized stage serves, by their names. */
export async function publishedIn(outDir: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(outDir, { recursive: true });
  const pages = names.filter((name) => /^asset\.\w+\/files\/.*\.(html|css|svg)$/.test(name));
  return new Map(
    await Promise.all(
      pages.map(async (name) => [name.replace(/^.*?files\//, ''), await readFile(join(outDir, name), 'utf8')] as const),
    ),
  );
}
