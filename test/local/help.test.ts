import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the file that a script of package.json names. */
async function run(script: keyof typeof manifest.scripts, ...args: readonly string[]): Promise<string> {
  const file = manifest.scripts[script].replace(/^(exec )?node /, '');
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], { cwd: root });
  return stdout;
}

const programs = [
  'admin',
  'bench',
  'conformance',
  'crashes',
  'demo',
  'emit',
  'listen',
  'outages',
  'simulate',
  'smoke',
] as const;

describe('--help', () => {
  it.each([['npm start', 'start'] as const, ...programs.map((name) => [`npm run ${name}`, name] as const)])(
    'of %s names the command as it is typed, what it does, and its --version',
    async (typed, script) => {
      const help = await run(script, '--help');

      expect(help).toMatch(new RegExp(`^Usage: ${typed} -- \\[options\\].*\n\n[A-Z]`));
      expect(help).toMatch(/^ {2}--version {2,}print the version$/m);
    },
  );

  it('of npm run outages shows its default in words', async () => {
    expect(await run('outages', '--help')).toContain('(default: all)');
  });
});

/** Other programs run in the same way; a test of `runProgram()` has the rest. */
const few = ['start', 'demo'] as const;

describe('a command line', () => {
  it.each(few)('%s prints the version of the package', async (script) => {
    expect(await run(script, '--version')).toBe(`${manifest.version}\n`);
  });

  it.each(few)('%s refuses an unknown option on one line, with exit code 2', async (script) => {
    await expect(run(script, '--unknwon')).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: unknown option '--unknwon'.*; use --help for usage\n$/),
    });
  });
});
