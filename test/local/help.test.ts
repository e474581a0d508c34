import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [`bin/${program}.ts`, ...args], {
    cwd: root,
  });
  return stdout;
}

describe('--help', () => {
  it.each([
    ['npm start', 'local'],
    ...['admin', 'bench', 'conformance', 'crashes', 'demo', 'emit', 'outages', 'simulate'].map((name) => [
      `npm run ${name}`,
      name,
    ]),
  ])('of %s names the command as it is typed, and what it does', async (typed = '', program = '') => {
    const help = await run(program, '--help');

    expect(help).toMatch(new RegExp(`^Usage: ${typed} -- \\[options\\].*\n\n[A-Z]`));
  });

  it('of npm run outages gives its default in words', async () => {
    expect(await run('outages', '--help')).toContain('(default: all)');
  });
});

describe('npm run demo', () => {
  it('refuses what it does not know, before anything starts', async () => {
    await expect(run('demo', '--fast')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: "error: unknown option '--fast'\n",
    });
  });
});
