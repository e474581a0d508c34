import { copyFile, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesFunctionFolder } from '#shared/contract/functions.ts';
import type { Brand } from '../../site/brand.ts';
import { sha256 } from './digest.ts';
import { publishedFiles } from './published-files.ts';

/**
 * Builds the published files with a brand, beside a copy of the function that serves them. A folder of its own, because
 * stages with other brands use the same bundles.
 *
 * @param bundles folder of the bundles of all functions
 * @returns a folder with this one bundle
 */
export async function brandBundle(root: string, bundles: string, brand: Brand): Promise<string> {
  const published = await publishedFiles.build(root, brand);
  const brands = join(root, 'dist', 'brands');
  await mkdir(brands, { recursive: true });
  const draft = await mkdtemp(join(brands, '.draft-'));
  const bundle = join(draft, filesFunctionFolder);
  for (const [name, content] of published) {
    const path = join(bundle, 'files', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  await copyFile(join(bundles, filesFunctionFolder, 'index.mjs'), join(bundle, 'index.mjs'));
  const folder = join(brands, sha256(JSON.stringify(brand)).slice(0, 16));
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
  return folder;
}

/** Puts the bundle of a brand in the place of the one without. @param bundles folder of the bundles of all functions */
export async function replacePages(bundles: string, branded: string): Promise<void> {
  await rm(join(bundles, filesFunctionFolder), { recursive: true });
  await cp(join(branded, filesFunctionFolder), join(bundles, filesFunctionFolder), { recursive: true });
}
