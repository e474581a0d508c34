import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly error: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, error };
}

describe('npm start', () => {
  it.each([
    ['--port', '80a', 'Give a number from 0 (any free port) to 65535.'],
    ['--time-scale', '0', 'Give a number from 1 up'],
    ['--trust-origin', 'http://localhost:1', 'Cannot trust "http://localhost:1"'],
  ])('refuses %s %s with a reason', async (flag, value, reason) => {
    const { code, error } = await run(flag, value);

    expect(code).toBe(1);
    expect(error).toContain(reason);
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
      `Port ${port} is in use: stop the program that listens there, or choose another with --port`,
    );
  });
});
