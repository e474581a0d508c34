import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export type Asset = { readonly name: string; readonly content: string };

/** The files that every page loads. */
export type Assets = { readonly style: Asset; readonly script: Asset; readonly icon: Asset };

export async function readAssets(): Promise<Assets> {
  const [shared, style, script, icon] = await Promise.all([
    readAsset('shared.css'),
    readAsset('site.css'),
    readAsset('site.js'),
    readAsset('favicon.svg'),
  ]);
  return {
    style: named('site.css', shared + style),
    script: named('site.js', script),
    icon: named('favicon.svg', icon),
  };
}

async function readAsset(file: string): Promise<string> {
  return await readFile(new URL(`assets/${file}`, import.meta.url), 'utf8');
}

/** The name contains a digest of the content, so that browsers may keep the file for ever. */
function named(file: string, content: string): Asset {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { name: `docs/assets/${file.replace(/(\.\w+)$/, `-${digest}$1`)}`, content };
}
