import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { listenProgram } from '../../tools/local/listen/command-line.ts';
import { endpointGone, type ListenOptions, startListening } from '../../tools/local/listen/start-listening.ts';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import { only } from '../support/stack/eventually.ts';
import { type Outcome, runCommand } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { Program } from '../support/stack/stack-process.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const { info } = inject('stack');
const stack = useStack();
const program = fileURLToPath(new URL('../../bin/listen.ts', import.meta.url));
const [, secondOrigin = ''] = info.listen.origins;

let customer: StackCustomer;
let dir: string;
let stackFile: string;

beforeEach(async () => {
  customer = await stack.newCustomer('Customer who listens');
  dir = await temporaryFolder();
  stackFile = join(dir, 'stack.json');
  const customers = [{ id: customer.id, api_key: customer.apiKey }];
  await writeFile(stackFile, JSON.stringify({ ...info, customers }));
});

async function listenInProcess(options: Partial<ListenOptions> = {}) {
  const { origins, cert_file: certFile, key_file: keyFile } = info.listen;
  const listening = await startListening({
    access: { url: info.api_url, credential: customer.apiKey },
    place: { kind: 'stack', origins, certFile, keyFile },
    folderId: randomBytes(6).toString('hex'),
    forwardHandshake: false,
    now: Date.now,
    onLeftOver: () => {},
    onReady: () => {},
    onDelivery: () => {},
    ...options,
  });
  onTestFinished(() => listening.close().catch(() => undefined));
  return listening;
}

async function launch(...args: readonly string[]): Promise<Program> {
  const child = await Program.start(process.execPath, [program, '--stack-file', stackFile, ...args], {
    cwd: dir,
    env: { TMPDIR: dir, API_KEY: '' },
  });
  onTestFinished(async () => {
    child.kill();
    await child.exited();
  });
  return child;
}

/** Runs a command that ends by itself within this process, whose signals are left alone. */
async function refused(...args: readonly string[]): Promise<Outcome> {
  const on = vi.spyOn(process, 'on').mockReturnValue(process);
  return await runCommand(() => listenProgram(), ['--stack-file', stackFile, ...args]).finally(() => on.mockRestore());
}

describe('npm run listen', () => {
  it('says when its endpoint receives no more events', async () => {
    const listening = await listenInProcess();
    const { signal } = new AbortController();
    const gone = endpointGone(listening, signal, () => {}, 500);

    await customer.remove(listening.webhookId);

    expect(await gone).toBe(true);
  });

  it('leaves the endpoint of another run alone, and takes the next address', async () => {
    await listenInProcess();
    await listenInProcess();

    expect((await customer.webhooks()).map(({ url }) => url).toSorted()).toEqual(
      info.listen.origins.map((origin) => `${origin}/`).toSorted(),
    );
  });

  it('shows why the service could not deliver the test event, and keeps no failed endpoint', async () => {
    const place = { kind: 'tunnel', url: `${secondOrigin}/`, port: await findFreePort() } as const;

    await expect(listenInProcess({ place })).rejects.toThrow(
      /^The service could not deliver the test event to https:.*refused/,
    );

    expect(await customer.webhooks()).toEqual([]);
  });

  it('deletes the endpoint that a killed run left behind, and its own when the terminal is closed', async () => {
    const killed = await launch('--print-secret');
    await killed.printed('Forwards to');
    expect(killed.output).toMatch(/^whsec_\S+$/m);
    killed.kill();
    await killed.exited();
    const leftOver = only(await customer.webhooks());

    const child = await launch('--json');
    await child.printed('"kind":"ready"');

    expect(JSON.parse(child.output.split('\n')[0] ?? '')).toMatchObject({
      kind: 'left_over_deleted',
      webhook_id: leftOver.id,
    });
    expect(only(await customer.webhooks()).id).not.toBe(leftOver.id);
    child.closeOutput();
    process.kill(-child.pid, 'SIGHUP');
    expect(await child.exited()).toBe(0);
    expect(await customer.webhooks()).toEqual([]);
  });

  it('writes the secret to a file, and keeps no endpoint when it cannot', async () => {
    await writeFile(join(dir, '.env'), 'PORT=3000\n');
    const child = await launch('--json', '--write-env', '.env', '--env-name', 'HOOK_SECRET');
    await child.printed('"kind":"ready"');
    const { secret } = JSON.parse(child.output.split('\n')[0] ?? '');
    expect(await readFile(join(dir, '.env'), 'utf8')).toBe(`PORT=3000\nHOOK_SECRET=${secret}\n`);
    process.kill(-child.pid, 'SIGTERM');
    await child.exited();

    const file = join(dir, 'none', '.env');
    expect(await refused('--write-env', file)).toEqual({
      code: 1,
      output: expect.stringMatching(new RegExp(`^Cannot write WEBHOOK_SECRET to ${file}: ENOENT`)),
    });
    expect(await customer.webhooks()).toEqual([]);
  });

  it('names the source of a key that the API refuses', async () => {
    expect(await refused('--key', 'key_unknown')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Check that you sent .* \(401 invalid_key\)\. The key comes from --key; without it, listen .*$/,
      ),
    });
  });
});
