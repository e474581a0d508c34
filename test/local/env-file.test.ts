import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { setVariable } from '../../tools/local/listen/env-file.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
let dir: string;
let file: string;
beforeEach(async () => {
  dir = await temporaryFolder();
  file = join(dir, '.env');
});

describe('setVariable()', () => {
  it.each([
    ['a new file', '', `S=${secret}\n`],
    ['a file without the variable', 'A=1\n# note\n\nB=2', `A=1\n# note\n\nB=2\nS=${secret}\n`],
    ['a file with it', 'A=1\nS=old\nB=2\n', `A=1\nS=${secret}\nB=2\n`],
    ['a file with it twice', 'S=1\nA=1\n S = 2\n', `S=${secret}\nA=1\n`],
    ['an exported variable', 'A=1\nexport S="old"\n', `A=1\nexport S=${secret}\n`],
    ['names that only look like it', '#S=1\nSS=2\nXS=3\n', `#S=1\nSS=2\nXS=3\nS=${secret}\n`],
    ['lines that end as on Windows', 'A=1\r\nS=old\r\n', `A=1\r\nS=${secret}\r\n`],
  ])('sets it in %s, and keeps every other line', async (_case, before, after) => {
    if (before !== '') await writeFile(file, before);

    setVariable(file, 'S', secret);

    expect(await readFile(file, 'utf8')).toBe(after);
    expect(parseEnv(after)).toMatchObject({ S: secret });
  });

  it('makes a file that others could read private, and leaves nothing beside it', async () => {
    await writeFile(file, 'S=old\n');
    await chmod(file, 0o644);

    setVariable(file, 'S', secret);

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(['.env']);
  });

  it('writes through a link', async () => {
    await writeFile(join(dir, 'shared.env'), 'A=1\n');
    await symlink('shared.env', file);

    setVariable(file, 'S', secret);

    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(dir, 'shared.env'), 'utf8')).toBe(`A=1\nS=${secret}\n`);
  });

  it('names the file that it cannot write', async () => {
    await mkdir(file);

    expect(() => setVariable(file, 'S', secret)).toThrow(`Cannot write S to ${file}: EISDIR`);
    expect(() => setVariable(join(dir, 'none', '.env'), 'S', secret)).toThrow('ENOENT');
  });
});
