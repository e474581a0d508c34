import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderPage } from './render-page.ts';
import type { SavedResults } from './results.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
const plots = 'performance';

/** Writes docs/performance.md with its plots, and removes plots that it no longer shows. */
export async function writePage(results: SavedResults): Promise<void> {
  const files = renderPage(results);
  for (const [path, content] of Object.entries(files)) await writeFile(join(docs, path), content);
  const present = (await readdir(join(docs, plots))).filter((name) => name.endsWith('.svg'));
  const stale = present.filter((name) => !(`${plots}/${name}` in files));
  await Promise.all(stale.map((name) => rm(join(docs, plots, name))));
}
