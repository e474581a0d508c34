import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export type Assets = Awaited<ReturnType<typeof readAssets>>;

/** Reads the files that every page loads. */
export async function readAssets() {
  return {
    style: await readAsset('site.css', 'shared.css', 'site.css'),
    script: await readAsset('site.js', 'site.js'),
    icon: await readAsset('favicon.svg', 'favicon.svg'),
  };
}

/** The name contains a digest of the content, so that browsers may keep the file for ever. */
async function readAsset(file: string, ...parts: readonly string[]) {
  const read = parts.map((part) => readFile(new URL(`assets/${part}`, import.meta.url), 'utf8'));
  const content = (await Promise.all(read)).join('');
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { name: `docs/assets/${file.replace(/(\.\w+)$/, `-${digest}$1`)}`, content };
}
