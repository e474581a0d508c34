import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';

const run = promisify(execFile);

/** A producer in another repository, which installed the packed package. */
const consumer = useFolder();

beforeAll(async () => {
  const cwd = consumer();
  await run(process.execPath, [join(repositoryRoot, 'bin', 'build-producer.ts')], { cwd: repositoryRoot });
  const { stdout } = await run('npm', ['pack', '--silent', join(repositoryRoot, 'dist', 'producer')], {
    cwd,
  });
  await writeFile(join(cwd, 'package.json'), '{ "type": "module" }');
  const install = ['install', '--offline', '--silent', '--cache', join(cwd, 'cache'), stdout.trim()];
  await run('npm', install, { cwd });
  await writeFile(join(cwd, 'program.ts'), program);
});

const program = `
import { queueBatches, type IntakeMessage } from 'webhook-delivery-service/intake';
const message: IntakeMessage = {
  type: 'tracker.saved',
  customer_id: 'cus_1',
  tracker: { id: 'trk_1', kind: 'creator', status: 'active', created_at: '2026-11-20T09:29:12Z' },
};
console.log(JSON.stringify(queueBatches([message])));
`;

describe('the packed package', () => {
  it('brings no other package, such as those of the functions', async () => {
    const names = await readdir(join(consumer(), 'node_modules'));

    expect(names.filter((name) => !name.startsWith('.'))).toEqual(['webhook-delivery-service']);
  });

  it('contains the built helper, its schema and its page, and no source of the service', async () => {
    const root = join(consumer(), 'node_modules', 'webhook-delivery-service');
    const names = await readdir(root, { recursive: true, withFileTypes: true });

    const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
    expect(files.map((file) => file.slice(root.length + 1)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'intake.d.ts',
      'intake.js',
      'intake.schema.json',
      'messages.d.ts',
      'operator.d.ts',
      'operator.js',
      'package.json',
    ]);
  });

  it('a program in another folder imports it in plain Node.js', async () => {
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: consumer() });

    expect(JSON.parse(stdout)).toMatchObject([[{ Id: '0', MessageGroupId: 'cus_1' }]]);
  });

  it('its declarations type-check a program, and find a wrong member', async () => {
    await writeFile(join(consumer(), 'wrong.ts'), program.replace('customer_id', 'customer'));
    const compiler = join(repositoryRoot, 'node_modules', '.bin', 'tsc');
    const options = [
      '--noEmit',
      '--pretty',
      'false',
      '--strict',
      '--module',
      'nodenext',
      '--lib',
      'es2024,dom',
      '--types',
      '',
    ];

    const checking = run(compiler, [...options, 'program.ts', 'wrong.ts'], { cwd: consumer() });

    await expect(checking).rejects.toMatchObject({
      stdout: expect.stringMatching(/^wrong\.ts.*'customer'.*\n(?: {2}.*\n)*$/),
    });
  });
});
