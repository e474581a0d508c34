import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderPage } from '../../../bench/page/render-page.ts';
import { readResults } from '../../../bench/page/results.ts';

const docs = new URL('../../../docs/', import.meta.url);
describe('docs/performance.md', () => {
  it('the page and its plots are what the saved results render: npm run bench -- --page', async () => {
    const rendered = renderPage(await readResults());
    const plots = globSync('performance/*.svg', { cwd: docs });

    const committed = Object.keys(rendered).map((path) => [path, readFileSync(new URL(path, docs), 'utf8')]);
    expect(Object.fromEntries(committed)).toEqual(rendered);
    expect(['performance.md', ...plots].toSorted()).toEqual(Object.keys(rendered).toSorted());
  });

  it('the saved results name no host and no path', () => {
    const text = readFileSync(new URL('performance/results.json', docs), 'utf8');

    expect(text).not.toMatch(/"\/|hostname|\/(tmp|home|Users)\//);
  });
});
