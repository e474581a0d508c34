import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CachedSynthesis, writeAssembly } from '../../lib/build/assembly-cache.ts';
import { digestOf } from '../../lib/build/digest.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const addresses = { baseUrl: 'http://127.0.0.1:8787', issuer: 'http://127.0.0.1:40001' };
const others = { baseUrl: 'http://127.0.0.1:9000', issuer: 'http://127.0.0.1:1234' };
let root: string;
let runs: Readonly<Record<string, string>>[];
let outputs: number;

beforeEach(async () => {
  root = await temporaryFolder();
  runs = [];
  outputs = 0;
  await mkdir(join(root, 'lib'));
  await writeFile(join(root, 'lib', 'app.ts'), 'one');
  await writeFile(join(root, 'cdk.json'), '{}');
});

async function write(change: Partial<CachedSynthesis> = {}): Promise<{ outcome: string; template: string }> {
  outputs += 1;
  const outDir = join(root, `out-${outputs}`);
  await mkdir(outDir);
  const outcome = await writeAssembly({
    root,
    inputs: ['lib', 'cdk.json', 'stages'],
    context: { stage: 'local', ...addresses },
    outDir,
    synthesize: async (settings, folder) => {
      runs.push(settings);
      await mkdir(join(folder, 'asset.one'));
      await writeFile(join(folder, 'asset.one', 'index.mjs'), 'code');
      await writeFile(join(folder, 'app.template.json'), JSON.stringify(settings));
    },
    ...change,
  });
  expect(await readFile(join(outDir, 'asset.one', 'index.mjs'), 'utf8')).toBe('code');
  return { outcome, template: await readFile(join(outDir, 'app.template.json'), 'utf8') };
}

describe('writeAssembly()', () => {
  it('synthesizes once for unchanged sources, and writes the addresses of each run', async () => {
    const first = await write();
    const second = await write({ context: { stage: 'local', ...others } });

    expect([first.outcome, second.outcome]).toEqual(['synthesized', 'unchanged']);
    expect(runs).toHaveLength(1);
    expect(JSON.parse(first.template)).toEqual({ stage: 'local', ...addresses });
    expect(JSON.parse(second.template)).toEqual({ stage: 'local', ...others });
  });

  it.each([
    ['a changed file', () => writeFile(join(root, 'lib', 'app.ts'), 'two')],
    ['a file that is added to a folder', () => writeFile(join(root, 'lib', 'new.ts'), '')],
    ['a removed file', () => rm(join(root, 'cdk.json'))],
    [
      'a folder that is added',
      async () => {
        await mkdir(join(root, 'stages'));
        await writeFile(join(root, 'stages', 'local.json'), '{}');
      },
    ],
  ])('synthesizes again after %s, and with another setting', async (_case, change) => {
    await write();
    await change();

    expect((await write()).outcome).toBe('synthesized');
    expect((await write()).outcome).toBe('unchanged');
    expect((await write({ context: { stage: 'test' } })).outcome).toBe('synthesized');
  });

  it.each(['app.template.json', 'asset.one/index.mjs'])(
    'synthesizes again when %s of the kept assembly was changed',
    async (file) => {
      await write();
      const [key] = await readdir(join(root, 'dist', 'assemblies'));
      await writeFile(join(root, 'dist', 'assemblies', key ?? '', file), 'changed');

      expect((await write()).outcome).toBe('synthesized');
      expect((await write()).outcome).toBe('unchanged');
    },
  );

  it('keeps nothing of a synthesis during which a source changed', async () => {
    const synthesize = async (_settings: unknown, folder: string) => {
      await mkdir(join(folder, 'asset.one'));
      await writeFile(join(folder, 'asset.one', 'index.mjs'), 'code');
      await writeFile(join(folder, 'app.template.json'), 'old or new');
      await writeFile(join(root, 'lib', 'app.ts'), 'two');
    };
    expect((await write({ synthesize })).outcome).toBe('synthesized');
    await writeFile(join(root, 'lib', 'app.ts'), 'one');

    expect((await write()).outcome).toBe('synthesized');
  });

  it('keeps nothing of a failed synthesis', async () => {
    const synthesize = () => Promise.reject(new Error('wrong setting'));

    await expect(write({ synthesize })).rejects.toThrow('wrong setting');

    expect(await readdir(join(root, 'dist', 'assemblies'))).toEqual([]);
  });
});

describe('digestOf()', () => {
  it('is the same in a process that may open few files at once, and fails for a file that cannot be read', async () => {
    const many = Array.from({ length: 100 }, (_, index) => join(root, 'lib', `${index}.ts`));
    await Promise.all(many.map((file) => writeFile(file, file)));
    const code = `import { digestOf } from '${new URL('../../lib/build/digest.ts', import.meta.url).href}';
      console.log(digestOf(process.argv[1], ['lib']));`;
    const limited = `ulimit -n 64; exec "$0" --input-type=module --eval "$1" "$2"`;

    const { stdout } = spawnSync('sh', ['-c', limited, process.execPath, code, root], { encoding: 'utf8' });

    expect(stdout.trim()).toBe(digestOf(root, ['lib']));
    await symlink('loop.ts', join(root, 'loop.ts'));
    expect(() => digestOf(root, ['loop.ts'])).toThrow('ELOOP');
  });
});
