import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundledFolders } from '#shared/contract/functions.ts';
import { type BundleOptions, bundleFunctions, repositoryRoot } from '../../lib/build/bundle.ts';
import type { FileSource } from '../../lib/build/published-files.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';

const folder = useFolder();
let root: string;

beforeAll(async () => {
  root = folder();
  await symlink(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
  await Promise.all(bundledFolders.map((folder) => writeHandler(folder, handlerOf(folder))));
});

/** Functions only: the files of the documentation have tests of their own. */
const bundle = (options: BundleOptions) => bundleFunctions({ files: published([]), ...options });

/** A source of published files: each has its own name as its content. */
const published = (names: readonly string[], sources: readonly string[] = []): FileSource => ({
  sources,
  build: async () => new Map(names.map((name) => [name, name])),
});

async function writeSource(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

describe('bundleFunctions()', () => {
  it('builds one loadable module for every function with its dependencies, and nothing else', async () => {
    const outDir = join(root, 'dist', 'functions');
    const dependency = "import * as z from 'zod';\nexport const schema = z.string();\n";
    await writeHandler('queue/deliver', `${dependency}${handlerOf('queue/deliver')}`);

    await bundle({ root });
    await writeHandler('queue/deliver', handlerOf('queue/deliver'));

    const expected = bundledFolders.map((folder) => join(folder, 'index.mjs'));
    expect((await filesBelow(outDir)).toSorted()).toEqual(expected.toSorted());
    const file = join(outDir, 'queue/deliver/index.mjs');
    const loaded: unknown = await import(pathToFileURL(file).href);
    expect(loaded).toMatchObject({ handler: expect.any(Function), folder: 'queue/deliver' });
    const text = await readFile(file, 'utf8');
    expect(text.length).toBeGreaterThan(50_000);
    expect([...text.matchAll(/from"(?!node:)([^"]+)"/g)]).toEqual([]);
  });

  it('leaves out the cache for endpoint discovery, which no command of the table uses', async () => {
    const sources = join(repositoryRoot, 'node_modules/@aws-sdk/client-dynamodb/dist-es');
    const commands = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith('Command.js'));
    const texts = await Promise.all(commands.map((file) => readFile(join(sources, file), 'utf8')));

    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((text) => /endpoint-?discovery|endpointCache/i.test(text))).toEqual([]);
  });

  it('builds the same bytes from the same sources, and does not write an unchanged file', async () => {
    const [first, second] = [join(root, 'out-first'), join(root, 'out-second')];
    const file = 'api/get-webhook/index.mjs';

    await bundle({ root, outDir: first });
    const before = await stat(join(first, file));
    await Promise.all([bundle({ root, outDir: first }), bundle({ root, outDir: second })]);

    expect(await readFile(join(second, file))).toEqual(await readFile(join(first, file)));
    expect((await stat(join(first, file))).mtimeMs).toBe(before.mtimeMs);
  });

  it('builds again when a source, a bundle or the packages changed, and only then', async () => {
    const outDir = join(root, 'out-record');
    const output = join(outDir, 'queue/deliver/index.mjs');
    const twice = async () => [await bundle({ root, outDir }), await bundle({ root, outDir })];
    const source = join(root, 'shared', 'counted.ts');
    await writeSource(source, 'export const handler = () => 1;');
    await writeHandler('queue/deliver', "export { handler } from '../../../shared/counted.ts';");
    expect(await twice()).toEqual(['built', 'unchanged']);

    await writeSource(source, 'export const handler = () => 2;');
    expect(await twice()).toEqual(['built', 'unchanged']);
    expect(await readFile(output, 'utf8')).toContain('2');

    await writeFile(output, '');
    expect(await twice()).toEqual(['built', 'unchanged']);
    expect(await readFile(output, 'utf8')).toContain('2');

    await writeFile(join(root, 'package-lock.json'), '{}');
    expect(await twice()).toEqual(['built', 'unchanged']);
    await writeHandler('queue/deliver', handlerOf('queue/deliver'));
  });

  it('puts the published files into their function, again when one of their sources changed or was added', async () => {
    const outDir = join(root, 'out-files');
    const pages = join(root, 'pages');
    const twice = async (name: string) => {
      const files = published([name], ['pages']);
      return [await bundle({ root, outDir, files }), await bundle({ root, outDir, files })];
    };
    await writeSource(join(pages, 'index.md'), '# One');
    expect(await twice('docs/index.html')).toEqual(['built', 'unchanged']);
    const page = join(outDir, 'api/get-docs/files/docs/index.html');
    expect(await readFile(page, 'utf8')).toBe('docs/index.html');

    await writeSource(join(pages, 'index.md'), '# Two');
    expect(await twice('docs/index.html')).toEqual(['built', 'unchanged']);

    await writeSource(join(pages, 'more.md'), '# More');
    expect(await twice('docs/more.html')).toEqual(['built', 'unchanged']);
    expect(await filesBelow(join(outDir, 'api/get-docs/files'))).toEqual(['docs/more.html']);
  });

  it('trusts no record of a source that changed while it was built', async () => {
    const outDir = join(root, 'out-changing');
    const content = handlerOf('queue/deliver');
    const files: FileSource = {
      sources: [],
      build: async () => {
        await writeHandler('queue/deliver', `${content} // changed`);
        return new Map();
      },
    };

    const changing = await bundle({ root, outDir, files });
    await writeHandler('queue/deliver', content);
    const results = [changing, await bundle({ root, outDir }), await bundle({ root, outDir })];

    expect(results).toEqual(['built', 'built', 'unchanged']);
  });

  it('removes files of an earlier build', async () => {
    const outDir = join(root, 'out-stale');
    await mkdir(join(outDir, 'api/forgotten'), { recursive: true });
    await mkdir(join(outDir, 'queue/deliver'), { recursive: true });
    await writeFile(join(outDir, 'api/forgotten/index.mjs'), '');
    await writeFile(join(outDir, 'queue/deliver/index.mjs.map'), '');

    await bundle({ root, outDir });

    expect(await filesBelow(outDir)).toHaveLength(bundledFolders.length);
  });

  it('refuses a dependency that calls require() instead of failing at the first request', async () => {
    await writeFile(join(root, 'legacy.cjs'), "module.exports = require('os').hostname;\n");
    await writeHandler('api/get-webhook', "import legacy from '../../../legacy.cjs';\nexport { legacy as handler };\n");

    const attempt = bundle({ root, outDir: join(root, 'out-legacy') });

    await expect(attempt).rejects.toThrow('Cannot bundle api/get-webhook: a CommonJS dependency calls require()');
    await writeHandler('api/get-webhook', handlerOf('api/get-webhook'));
  });

  it('names the handlers that are missing', async () => {
    const attempt = bundle({ root: join(root, 'empty') });

    await expect(attempt).rejects.toThrow(/^Cannot bundle .*queue\/intake, .*: handler\.ts is missing$/);
  });
});

/** Without a dependency, which would take most of the time of a build. */
const handlerOf = (folder: string): string => `export const folder = ${JSON.stringify(folder)};
export const handler = (event: unknown): unknown => event;
`;

const writeHandler = (folder: string, text: string) => writeSource(join(root, 'functions', folder, 'handler.ts'), text);

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
}
