import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { exitCodeOf, onStop } from '../../tools/local/stack/when-to-stop.ts';
import { allEnded, Program, processTree } from '../support/stack/stack-process.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

let dir: string;

beforeEach(async () => {
  dir = await temporaryFolder();
  await mkdir(join(dir, 'bin'));
  await mkdir(join(dir, 'tmp'));
  await writeFile(join(dir, 'bin', 'local.ts'), stack);
  await writeFile(join(dir, 'bin', 'node-version.mjs'), '');
});

/** A program that stops as the stack does, and has nothing to start before. It says in files what it does. */
const stack = `
import { appendFileSync, writeFileSync } from 'node:fs';
import { onStop, outliveOutput } from ${JSON.stringify(new URL('../../tools/local/stack/when-to-stop.ts', import.meta.url))};
outliveOutput();
const every = setInterval;
const work = every(() => console.log('working'), 20);
globalThis.setInterval = (look, ms) => every(() => (appendFileSync('looks', '.'), look()), ms);
onStop((reason) => {
  clearInterval(work);
  setTimeout(() => appendFileSync('said', reason), 50);
}, { parentEveryMs: 50 });
writeFileSync('pid', String(process.pid));
`;

const said = () => readFile(join(dir, 'said'), 'utf8').catch(() => '');

async function stackPid(): Promise<number> {
  await expect.poll(() => readFile(join(dir, 'pid'), 'utf8').catch(() => '')).toMatch(/^\d+$/);
  return Number(await readFile(join(dir, 'pid'), 'utf8'));
}

async function run(command: string, args: readonly string[], script: string) {
  await writeFile(join(dir, 'package.json'), JSON.stringify({ scripts: { start: script } }));
  const program = await Program.start(command, args, { cwd: dir, env });
  onTestFinished(async () => {
    endGroup(program);
    await program.exited();
  });
  const pid = await stackPid();
  return { program, pid, tree: await processTree(program.pid) };
}

const ownScript = manifest.scripts.start;
/** Finds the Node that runs this test. */
const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };

function endGroup(program: Program): void {
  try {
    process.kill(-program.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

describe('npm start', () => {
  // test/local/start-command.test.ts and test/e2e/own-stack.test.ts stop it with SIGINT.
  it('stops in order when npm alone gets a signal, and npm waits', async () => {
    const { program, tree } = await run('npm', ['start'], ownScript);

    process.kill(program.pid, 'SIGTERM');
    await program.exited();

    expect(await said()).toBe('SIGTERM');
    await allEnded(tree);
  });

  it('stops in order when npm is killed, which forwards no signal', async () => {
    const { program, tree } = await run('npm', ['start'], ownScript);

    process.kill(program.pid, 'SIGKILL');

    await expect.poll(said).toBe('npm ended');
    await allEnded(tree);
  });

  it('stops in order when the shell between npm and the stack is killed', async () => {
    const { pid, program, tree } = await run('npm', ['start'], `${ownScript.replace('exec ', '')}; true`);
    const shell = tree.find((each) => each !== pid && each !== program.pid) ?? 0;

    process.kill(shell, 'SIGKILL');

    await expect.poll(said).toBe('npm ended');
    await allEnded(tree);
  });

  it('stops in order when its terminal is closed, although its output is lost then', async () => {
    const { program, tree } = await run('npm', ['start'], ownScript);

    program.closeOutput();
    process.kill(-program.pid, 'SIGHUP');

    await expect.poll(said).toBe('SIGHUP');
    await allEnded(tree);
  });

  it('continues when the shell that started it in the background ends', async () => {
    const { program, pid } = await run('sh', ['-c', 'npm start > log 2>&1 &'], ownScript);
    // The first look makes the file.
    const looks = async () => (await readFile(join(dir, 'looks'), 'utf8').catch(() => '')).length;

    await allEnded([program.pid]);
    const before = await looks();
    await expect.poll(looks).toBeGreaterThan(before + 1);

    expect(await said()).toBe('');
    process.kill(pid, 'SIGTERM');
    await expect.poll(said).toBe('SIGTERM');
  });
});

describe('outliveOutput()', () => {
  const exec = (output: string) =>
    promisify(execFile)('sh', ['-c', `"$0" bin/webhook-delivery.ts --help ${output}`, process.execPath]);

  it('a reader that has ended is no failure', async () => {
    expect((await exec('| true')).stderr).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('a result that cannot be written is one', async () => {
    const stderr = 'The output could not be written (ENOSPC: no space left on device, write)\n';

    await expect(exec('> /dev/full')).rejects.toMatchObject({ code: 1, stderr });
  });
});

describe('onStop()', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Runs as a script of npm. */
  function watch(script: string) {
    const stop = vi.fn();
    const exits: unknown[] = [];
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const on = vi.spyOn(process, 'on').mockReturnThis();
    vi.spyOn(process, 'exit').mockImplementation((code): never => {
      exits.push(code);
      throw new Error('The process has ended');
    });
    const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(7);
    onStop(stop, { environment: { npm_lifecycle_script: `node ${script}` } });
    const endNpm = async () => {
      vi.advanceTimersByTime(5_000);
      parent.mockReturnValue(1);
      vi.advanceTimersByTime(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { stop, exits, signal: on.mock.calls[0]?.[1] ?? (() => {}), endNpm };
  }

  it.each([
    ['bin/local.ts', ['npm ended']],
    ['bin/other.ts', []],
  ])('looks at the parent when a script of npm starts %s: %j', async (script, reasons) => {
    const { stop, endNpm } = watch(script);

    await endNpm();

    expect(stop.mock.calls).toEqual(reasons.map((reason) => [reason]));
  });

  it('only a second signal ends the process: neither the same one through npm, nor the end of npm', async () => {
    const { stop, exits, signal, endNpm } = watch('bin/local.ts');

    signal('SIGINT');
    vi.advanceTimersByTime(500);
    signal('SIGINT');
    await endNpm();
    expect(exits).toEqual([]);

    expect(() => signal('SIGTERM')).toThrow();
    expect([stop.mock.calls, exits]).toEqual([[['SIGINT']], [143]]);
  });

  it('has the exit code of its signal', () => {
    expect((['SIGINT', 'SIGTERM', 'SIGHUP', 'npm ended'] as const).map(exitCodeOf)).toEqual([130, 143, 129, 129]);
  });
});
