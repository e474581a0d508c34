import { fork } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ClaimedError, claim } from '../../tools/local/stack/claim.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

let file: string;

beforeEach(async () => {
  file = join(await temporaryFolder(), 'stack.lock');
});

const program = `
  import { claim } from ${JSON.stringify(new URL('../../tools/local/stack/claim.ts', import.meta.url))};
  process.on('message', (file) => {
    try {
      claim(file);
      process.send('claimed');
    } catch (error) {
      process.send(String(error.processId));
    }
  });
  process.send('ready');
`;

/** A separate process that claims the file when it gets a message. */
async function startClaimer() {
  const child = fork('-', [], { execArgv: ['--input-type=module', '-e', program], stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    pid: child.pid,
    claim: async (): Promise<unknown> => {
      child.send(file);
      return (await once(child, 'message'))[0];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('claim()', () => {
  it('gives a file to one of several processes, names that one to the others, and takes over when it is killed', async () => {
    const claimers = await Promise.all(Array.from({ length: 4 }, startClaimer));

    const outcomes = await Promise.all(claimers.map((claimer) => claimer.claim()));

    const winner = claimers[outcomes.indexOf('claimed')];
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
    expect(() => claim(file)).toThrow(expect.objectContaining({ processId: winner?.pid }));
    await winner?.kill();
    claim(file)();
  });

  it('ignores a process id that was left behind', () => {
    const database = new DatabaseSync(file);
    database.exec(`PRAGMA user_version = ${process.ppid}`);
    database.close();

    claim(file)();
  });

  it('holds against another part of the same process, also after that was refused, and leaves no file', async () => {
    const release = claim(file);
    expect(() => claim(file)).toThrow(ClaimedError);

    const claimer = await startClaimer();

    expect(await claimer.claim()).toBe(String(process.pid));
    release();
    await expect(access(file)).rejects.toThrow('ENOENT');
  });
});
