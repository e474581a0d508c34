import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allEnded, Program, processTree } from '../support/stack/stack-process.ts';

let dir: string;
const programs: Program[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stop-'));
  await mkdir(join(dir, 'bin'));
  await mkdir(join(dir, 'tmp'));
  await writeFile(join(dir, 'bin', 'local.ts'), stack);
});
afterEach(async () => {
  for (const program of programs.splice(0)) {
    await endGroup(program);
    await program.exited();
  }
  await rm(dir, { recursive: true, force: true });
});

/** A program that stops as the stack does, and has nothing to start before. It says what it does in a file. */
const stack = `
import { appendFileSync, writeFileSync } from 'node:fs';
import { onStop, outliveOutput } from '${new URL('../../local/stack/when-to-stop.ts', import.meta.url).href}';
outliveOutput();
const work = setInterval(() => console.log('working'), 20);
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
  const program = await Program.start(command, args, { cwd: dir });
  programs.push(program);
  const pid = await stackPid();
  return { program, pid, tree: await processTree(program.pid) };
}

/** The script as package.json has it, with the Node that runs this test. */
const ownScript = `exec '${process.execPath}' bin/local.ts`;

async function endGroup(program: Program): Promise<void> {
  try {
    process.kill(-program.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

describe('npm start', () => {
  it('has the script that these tests run', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));

    expect(scripts.start.replace('node', `'${process.execPath}'`)).toBe(ownScript);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops in order when npm alone gets %s, and npm waits',
    async (signal) => {
      const { program, tree } = await run('npm', ['start'], ownScript);

      process.kill(program.pid, signal);
      await program.exited();

      expect(await said()).toBe(signal);
      await allEnded(tree);
    },
  );

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

    await allEnded([program.pid]);
    await lookedAtParent();

    process.kill(pid, 0);
    expect(await said()).toBe('');
    process.kill(pid, 'SIGTERM');
    await expect.poll(said).toBe('SIGTERM');
  });

  it('does not watch the parent when a script of another name has started it', async () => {
    const script = `'${process.execPath}' "$PROGRAM" &`;
    await writeFile(join(dir, 'package.json'), JSON.stringify({ scripts: { other: script } }));
    const program = await Program.start('npm', ['run', 'other'], {
      cwd: dir,
      env: { PROGRAM: join('bin', 'local.ts') },
    });
    programs.push(program);
    const pid = await stackPid();

    await allEnded([program.pid]);
    await lookedAtParent();

    process.kill(pid, 0);
    expect(await said()).toBe('');
  });
});

/** Several times as long as the program takes between two looks. */
const lookedAtParent = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300));
