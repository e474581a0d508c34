import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startProgram } from '../../tools/local/stack/command-line.ts';
import { startStack } from '../../tools/local/stack/start.ts';
import { runProgram } from '../../tools/operator/cli/run-program.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

vi.mock('../../tools/local/stack/start.ts', () => ({ startStack: vi.fn() }));
// A signal must still end the process of this test.
vi.mock('../../tools/local/stack/when-to-stop.ts', () => ({ onStop: vi.fn(), outliveOutput: vi.fn() }));

let written: string;

/** Notes what is printed. @returns true, as a stream does that takes more */
function note(text: unknown): true {
  written += text;
  return true;
}

beforeEach(() => {
  written = '';
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockImplementation(note);
  vi.spyOn(process.stderr, 'write').mockImplementation(note);
  vi.mocked(startStack).mockReset().mockRejectedValue(new Error('Port 80 is in use'));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

describe('npm start', () => {
  it.each([
    ['--port', '80a', 'Give a number from 0 (any free port) to 65535'],
    ['--time-scale', '0', 'Give a number from 1 up'],
    ['--trust-origin', 'http://localhost:1', 'Cannot trust "http://localhost:1"'],
    ['--data', '', 'Give a path'],
    ['--prot', '80', "unknown option '--prot'"],
  ])('refuses %s %s with a reason', async (flag, value, reason) => {
    await runProgram(startProgram(), { args: [flag, value] });

    expect(process.exitCode).toBe(2);
    expect(written).toContain(reason);
    expect(startStack).not.toHaveBeenCalled();
  });

  it('starts the stack as its options say, and ends with 1 and the reason when that fails', async () => {
    const trusted = ['--trust-origin', 'https://localhost:3000', '--trust-origin', 'https://localhost:3001'];
    const places = ['--data', 'here', '--stack-file', 'a.json'];

    await runProgram(startProgram(), { args: ['--port', '0', '--time-scale', '60', ...places, ...trusted] });

    expect(startStack).toHaveBeenCalledWith(
      expect.objectContaining({
        port: 0,
        timeScale: 60,
        dataDir: 'here',
        stackFile: 'a.json',
        trustedOrigins: ['https://localhost:3000', 'https://localhost:3001'],
      }),
    );
    expect([process.exitCode, written]).toEqual([1, 'Port 80 is in use']);
  });

  it('says that a signal stopped it before it was ready', async () => {
    // A stack of the developer may run in the folder of this test.
    const cwd = await temporaryFolder();
    const program = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));
    const child = spawn(process.execPath, [program, '--port', '0'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
    await once(createInterface({ input: child.stdout }), 'line');

    child.kill('SIGINT');

    expect(await ended).toEqual([[130, null], 'Stopped before it was ready\n']);
  });
});
