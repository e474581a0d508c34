import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionFolders } from '#shared/contract/functions.ts';
import { bundleFunctions, repositoryRoot } from '../../lib/bundle.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'bundle-'));
  await symlink(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
  await Promise.all(functionFolders.map((folder) => writeHandler(folder, handlerOf(folder))));
});

afterAll(() => rm(root, { recursive: true }));

describe('bundleFunctions()', () => {
  it('builds one loadable module for every function, and nothing else', async () => {
    const outDir = join(root, 'dist', 'functions');

    await bundleFunctions({ root });

    const expected = functionFolders.map((folder) => join(folder, 'index.mjs'));
    expect((await filesBelow(outDir)).toSorted()).toEqual(expected.toSorted());
    const bundle: unknown = await import(pathToFileURL(join(outDir, 'queue/deliver/index.mjs')).href);
    expect(bundle).toMatchObject({ handler: expect.any(Function), folder: 'queue/deliver' });
  });

  it('includes the dependencies of a function in its bundle', async () => {
    const outDir = join(root, 'out-dependencies');

    await bundleFunctions({ root, outDir });

    const text = await readFile(join(outDir, 'queue/deliver/index.mjs'), 'utf8');
    const imported = [...text.matchAll(/from"([^"]+)"/g)].map((match) => match[1]);
    expect(text.length).toBeGreaterThan(50_000);
    expect(imported.filter((name) => name?.startsWith('node:') !== true)).toEqual([]);
  });

  it('builds the same bytes from the same sources, and does not write an unchanged file', async () => {
    const [first, second] = [join(root, 'out-first'), join(root, 'out-second')];
    const file = 'api/get-webhook/index.mjs';

    await bundleFunctions({ root, outDir: first });
    const before = await stat(join(first, file));
    await Promise.all([bundleFunctions({ root, outDir: first }), bundleFunctions({ root, outDir: second })]);

    expect(await readFile(join(second, file))).toEqual(await readFile(join(first, file)));
    expect((await stat(join(first, file))).mtimeMs).toBe(before.mtimeMs);
  });

  it('removes files of an earlier build', async () => {
    const outDir = join(root, 'out-stale');
    await mkdir(join(outDir, 'api/forgotten'), { recursive: true });
    await mkdir(join(outDir, 'queue/deliver'), { recursive: true });
    await writeFile(join(outDir, 'api/forgotten/index.mjs'), '');
    await writeFile(join(outDir, 'queue/deliver/index.mjs.map'), '');

    await bundleFunctions({ root, outDir });

    expect(await filesBelow(outDir)).toHaveLength(functionFolders.length);
  });

  it('refuses a dependency that calls require() instead of failing at the first request', async () => {
    await writeFile(join(root, 'legacy.cjs'), "module.exports = require('node:os').hostname;\n");
    await writeHandler(
      'api/get-webhook',
      "import legacy from '../../../legacy.cjs';\nexport { legacy as handler };\n",
    );

    const attempt = bundleFunctions({ root, outDir: join(root, 'out-legacy') });

    await expect(attempt).rejects.toThrow(
      'Cannot bundle api/get-webhook: a CommonJS dependency calls require()',
    );
    await writeHandler('api/get-webhook', handlerOf('api/get-webhook'));
  });

  it('names the handlers that are missing', async () => {
    const attempt = bundleFunctions({ root: join(root, 'empty') });

    await expect(attempt).rejects.toThrow(/^Cannot bundle .*queue\/intake, .*: handler\.ts is missing$/);
  });
});

function handlerOf(folder: string): string {
  const lines = [
    "import * as z from 'zod';",
    `export const folder = ${JSON.stringify(folder)};`,
    'export const handler = (event: unknown): string => z.string().parse(event);',
  ];
  return `${lines.join('\n')}\n`;
}

async function writeHandler(folder: string, text: string): Promise<void> {
  await mkdir(join(root, 'functions', folder), { recursive: true });
  await writeFile(join(root, 'functions', folder, 'handler.ts'), text);
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
}
