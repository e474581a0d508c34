import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';

const program = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));

/** In a temporary folder: a stack of the developer may run in this one. */
async function launch(...args: readonly string[]) {
  const cwd = await mkdtemp(join(tmpdir(), 'start-command-'));
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(cwd, { recursive: true, force: true });
  });
  const ended = Promise.all([text(child.stderr), once(child, 'exit')]);
  return { child, outcome: ended.then(([error, [code]]) => ({ code: z.number().parse(code), error })) };
}

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly error: string }> {
  const { child, outcome } = await launch(...args);
  child.stdout.resume();
  return await outcome;
}

describe('npm start', () => {
  it.each([
    ['--port', '80a', 'Give a number from 0 (any free port) to 65535'],
    ['--time-scale', '0', 'Give a number from 1 up'],
    ['--trust-origin', 'http://localhost:1', 'Cannot trust "http://localhost:1"'],
    ['--data', '', 'Give a path'],
    ['--prot', '80', "unknown option '--prot'"],
  ])('refuses %s %s with a reason', async (flag, value, reason) => {
    const { code, error } = await run(flag, value);

    expect(code).toBe(2);
    expect(error).toContain(reason);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('says that %s stopped it before it was ready, and ends with %i', async (signal, wanted) => {
    const { child, outcome } = await launch('--port', '0');
    await once(createInterface({ input: child.stdout }), 'line');

    child.kill(signal);

    expect(await outcome).toEqual({ code: wanted, error: 'Stopped before it was ready\n' });
  });

  it('names the port that another program holds', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;

    const { code, error } = await run('--port', String(port));

    expect(code).toBe(1);
    expect(error.trim()).toBe(
      `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or choose another with --port`,
    );
  });
});
