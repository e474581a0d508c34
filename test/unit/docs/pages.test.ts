import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const pages = globSync(['*.md', '{docs,examples,packages,stages,test,tools}/**/*.md'])
  .filter((path) => !path.includes('node_modules'))
  .toSorted();

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '');
const textOf = (path: string): string => withoutCode(readFileSync(path, 'utf8'));

/** As code hosts make them: lower case, no punctuation, hyphens for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function anchorsOf(path: string): readonly string[] {
  return [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

function leadsNowhere(page: string, target: string): boolean {
  if (/^https?:/.test(target)) return false;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
}

describe.each(pages)('%s', (page) => {
  it('has no link to a file or heading that is not there', () => {
    const targets = [...textOf(page).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)];
    const dead = targets.map(([, inline, reference]) => inline ?? reference ?? '');

    expect(dead.filter((target) => leadsNowhere(page, target))).toEqual([]);
  });

  it('names no source file that does not exist', () => {
    const named = [...textOf(page).matchAll(/`((?:\w[\w.-]*\/)+[\w.-]+\.(?:ts|mjs|py|go))`/g)];
    const missing = named
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(file) && !existsSync(join(dirname(page), file)));

    expect(missing).toEqual([]);
  });

  it('has no line over 120 columns, but in tables and code', () => {
    const lines = textOf(page).split('\n');

    expect(lines.filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
  });
});
