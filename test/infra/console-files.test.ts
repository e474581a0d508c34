import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { consoleFiles } from '../../lib/build/published-files.ts';

const files = await consoleFiles.build(repositoryRoot);

describe('the files of the console', () => {
  it('are one page, one script, one stylesheet and one icon, with at most 52 KB after gzip', () => {
    const sizes = [...files].map(([name, content]) => [name, gzipSync(content).length] as const);

    expect(sizes.map(([name]) => name.replace(/-[0-9a-f]{12}/, '')).toSorted()).toEqual([
      'console.html',
      'console/assets/console.css',
      'console/assets/console.js',
      'console/assets/icon.svg',
    ]);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(52_000);
  });

  it('the page loads each of the others by an address relative to itself', () => {
    const page = files.get('console.html') ?? '';
    const loaded = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address);

    expect(loaded.toSorted()).toEqual([...files.keys()].filter((name) => name !== 'console.html').toSorted());
  });

  it('neither the page nor the stylesheet names another host, and the page has no inline script or style', () => {
    const [page = '', style = ''] = ['.html', '.css'].map(
      (ending) => [...files].find(([name]) => name.endsWith(ending))?.[1],
    );

    expect(`${page}${style}`).not.toMatch(/https?:|url\(/);
    expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=/);
  });
});
