import { execFile } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { signatureHeader } from '#shared/domain/signature.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import manifest from '../../package.json' with { type: 'json' };
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import {
  createReceiverFolder,
  exampleReceivers,
  removeFolder,
  startPageReceiver,
  whySkipped,
} from '../support/docs/page-receivers.ts';
import { useStack } from '../support/stack/stack.ts';
import { Program } from '../support/stack/stack-process.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';

const run = promisify(execFile);
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** A customer without a clone, who installed the packed package without a network. */
const customer = useFolder();
const installed = () => join(customer(), 'node_modules', 'webhook-delivery');
const program = () => join(customer(), 'node_modules', '.bin', 'webhook-delivery');
const webhooks = (args: readonly string[]) =>
  run(process.execPath, [program(), ...args], {
    cwd: customer(),
    env: { PATH: process.env.PATH, HOME: customer() },
  });

beforeAll(async () => {
  await run(process.execPath, [join(repositoryRoot, 'bin', 'build-cli.ts')], { cwd: repositoryRoot });
  const pack = ['pack', '--silent', join(repositoryRoot, 'dist', 'cli')];
  const { stdout } = await run('npm', pack, { cwd: customer() });
  const install = ['install', '--offline', '--silent', '--cache', join(customer(), 'cache'), stdout.trim()];
  await run('npm', install, { cwd: customer() });
});

describe('the package for customers', () => {
  it('is one file below 1 MB, without dependencies', async () => {
    const { stdout } = await run('ls', ['-A', join(customer(), 'node_modules')]);

    expect(stdout.split('\n').filter((name) => name !== '' && !name.startsWith('.'))).toEqual(['webhook-delivery']);
    expect((await stat(join(installed(), 'webhook-delivery.mjs'))).size).toBeLessThan(1_000_000);
  });

  it.each(['listen', 'verify'])('%s --help says what it does', async (command) => {
    const { stdout } = await webhooks([command, '--help']);

    expect(stdout).toMatch(new RegExp(`^Usage: webhook-delivery ${command} \\[options\\].*\n\n[A-Z]`));
    expect(stdout).not.toContain('--stage');
    expect((await webhooks(['--help'])).stdout).toContain(`  ${command} [options]`);
    expect((await webhooks(['--version'])).stdout).toBe(`${manifest.version}\n`);
  });

  it('verifies a signature', async () => {
    const file = join(installed(), 'package.json');
    const { stdout: body } = await run('cat', [file]);
    const header = `X-Service-Signature: ${signatureHeader([secret], Buffer.from(body), Date.now())}`;

    const { stdout } = await webhooks(['verify', file, '-H', header, '--secret', secret]);

    expect(stdout).toMatch(/^x-service-signature: verified, signed at \S+\n$/);
    await expect(webhooks(['verify', file, '-H', header, '--secret', 'whsec_b3RoZXI='])).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('not verified (No v1 matches'),
    });
  });

  it('listen asks for the address of the API where there is no local stack', async () => {
    await expect(webhooks(['listen'])).rejects.toMatchObject({
      code: 2,
      stderr: 'Give the address of the API with --api https://…, and an API key in API_KEY\n',
    });
    await expect(webhooks(['listen', '--api', 'http://127.0.0.1:8787'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^\.local\/stack\.json is missing: name .* with --stack-file, or give .*--api https:/,
      ),
    });
  });
});

describe.each(exampleReceivers)('listen of the package, in front of $name', (receiver) => {
  const { info, packageOrigin } = inject('stack');
  const stack = useStack();

  it('forwards an event that both verify', async ({ skip }) => {
    const reason = whySkipped(receiver);
    if (reason !== undefined) skip(reason);
    const dir = await createReceiverFolder(receiver);
    onTestFinished(() => removeFolder(dir));
    const owner = await stack.newCustomer();
    const customers = [{ id: owner.id, api_key: owner.apiKey }];
    const file = { ...info, customers, listen: { ...info.listen, origins: [packageOrigin] } };
    await writeFile(join(dir, 'stack.json'), JSON.stringify(file));
    const port = await findFreePort();
    const args = ['--json', '--stack-file', 'stack.json', '--forward', `http://127.0.0.1:${port}/webhooks`];
    const listening = await Program.start(process.execPath, [program(), 'listen', ...args], {
      cwd: dir,
      env: { TMPDIR: dir, API_KEY: '' },
    });
    onTestFinished(async () => {
      listening.interrupt();
      await listening.exited();
    });
    const printed = async (text: string) => {
      await listening.printed(text);
      return JSON.parse(listening.output.split('\n').find((line) => line.includes(text)) ?? '');
    };
    const { secret } = await printed('"kind":"ready"');
    const running = await startPageReceiver(receiver, dir, secret, port);
    onTestFinished(() => running.stop());

    await owner.settleRun();

    const delivery = await printed('"event_type":"run.completed"');
    expect(delivery).toMatchObject({ verified: true, forwarded: { status: 204, error: null } });
    const verified = [expect.stringContaining(`completed (${delivery.event_id})`)];
    await expect.poll(() => running.verified()).toEqual(verified);
  });
});
