import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { signatureHeader } from '#shared/domain/signature.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import manifest from '../../package.json' with { type: 'json' };
import { useFolder } from '../support/vitest/temporary-folder.ts';

const run = promisify(execFile);
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** A customer without a clone, who installed the packed package without a network. */
const customer = useFolder();
const installed = () => join(customer(), 'node_modules', 'webhook-delivery-cli');
const webhooks = (args: readonly string[]) =>
  run(process.execPath, [join(customer(), 'node_modules', '.bin', 'webhooks'), ...args], {
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

    expect(stdout.split('\n').filter((name) => name !== '' && !name.startsWith('.'))).toEqual([
      'webhook-delivery-cli',
    ]);
    expect((await stat(join(installed(), 'webhooks.mjs'))).size).toBeLessThan(1_000_000);
  });

  it.each(['listen', 'verify'])('%s --help says what it does', async (command) => {
    const { stdout } = await webhooks([command, '--help']);

    expect(stdout).toMatch(new RegExp(`^Usage: webhooks ${command} \\[options\\].*\n\n[A-Z]`));
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
    await expect(
      webhooks(['verify', file, '-H', header, '--secret', 'whsec_b3RoZXI=']),
    ).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('not verified (No v1 matches') });
  });

  it('listen asks for the address of the API where there is no local stack', async () => {
    await expect(webhooks(['listen'])).rejects.toMatchObject({
      code: 2,
      stderr: 'Give the address of the API with --api https://…, and an API key in API_KEY\n',
    });
  });
});
