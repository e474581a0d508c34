import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledFolders } from '#shared/contract/functions.ts';
import { bundleFunctions, defaultBundleFolder, repositoryRoot } from '../../lib/build/bundle.ts';

/** A bundle may differ from its record by this part: the bytes of a few lines, but not of a package. */
const margin = 0.02;

/** No function may have more: Lambda loads them at every cold start. */
const mostBytes = 450_000;

const recordFile = new URL('recorded/bundles.md', import.meta.url);

/** Bytes of each bundle on the recorded page. */
async function recordedBytes(): Promise<ReadonlyMap<string, number>> {
  const page = await readFile(recordFile, 'utf8').catch(() => '');
  return new Map(
    [...page.matchAll(/^\| (\S+\/\S+) \| ([\d,]+) \|/gm)].map(([, folder = '', bytes = '']) => [
      folder,
      Number(bytes.replaceAll(',', '')),
    ]),
  );
}

it('the bytes of every bundle are within 2 % of those recorded in bundles.md, and at most 450 KB', async () => {
  await bundleFunctions();
  const recorded = await recordedBytes();
  const rows = bundledFolders.map(async (folder) => {
    const { size } = await stat(join(defaultBundleFolder(repositoryRoot), folder, 'index.mjs'));
    expect(size, folder).toBeLessThanOrEqual(mostBytes);
    const before = recorded.get(folder) ?? 0;
    const bytes = Math.abs(size - before) <= before * margin ? before : size;
    return `| ${folder} | ${bytes.toLocaleString('en-US')} |`;
  });

  const page = [
    '# Bytes of the bundles',
    '',
    'Generated: `npm run record` records what differs by more than 2 %. Lambda loads these bytes at every cold',
    'start. A bundle that becomes larger needs a reason in its commit.',
    '',
    '| Function | Bytes |',
    '| --- | --: |',
    ...(await Promise.all(rows)),
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('recorded/bundles.md');
});
