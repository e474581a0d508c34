import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileOnPage } from './page-blocks.ts';

const files = ['service.ts', 'deliveries.ts', 'events.ts'] as const;

/**
 * Saves the TypeScript client of docs/pages/clients.md inside the project, where it finds the packages that it needs.
 * The caller removes the folder.
 */
export async function saveClient() {
  await mkdir('.local', { recursive: true });
  const dir = await mkdtemp(join('.local', 'client-'));
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  for (const file of files) await writeFile(join(dir, file), fileOnPage('clients.md', file));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
