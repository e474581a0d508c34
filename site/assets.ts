import { readFile } from 'node:fs/promises';
import { type Brand, brandStyle } from './brand.ts';
import { namedFile } from './browser-files.ts';

export type Assets = Awaited<ReturnType<typeof readAssets>>;

/**
 * Reads the files that pages load.
 *
 * @param search the script of the search
 */
export async function readAssets(brand: Brand, search: string) {
  const { favicon, logo, logoDark } = brand;
  return {
    style: named('site.css', (await textOf('shared.css', 'site.css')) + brandStyle(brand)),
    script: named('site.js', await textOf('site.js')),
    search: named('search.js', search),
    icon: named('favicon.svg', favicon ?? (await textOf('favicon.svg'))),
    ...(logo === undefined ? {} : { logo: named('logo.svg', logo) }),
    ...(logoDark === undefined ? {} : { logoDark: named('logo-dark.svg', logoDark) }),
  };
}

async function textOf(...parts: readonly string[]): Promise<string> {
  const read = parts.map((part) => readFile(new URL(`assets/${part}`, import.meta.url), 'utf8'));
  return (await Promise.all(read)).join('');
}

const named = (file: string, content: string) => namedFile(`docs/assets/${file}`, content);
