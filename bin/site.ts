import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../lib/build/bundle.ts';
import { buildSite } from '../site/build-site.ts';

/** Writes the documentation site to a folder, to look at it without a stack. */
const folder = join(repositoryRoot, 'dist', 'site');
await rm(folder, { recursive: true, force: true });
for (const [name, content] of await buildSite(repositoryRoot)) {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
console.log(folder);
