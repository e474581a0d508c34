import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bundledFolders } from '#shared/contract/functions.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { installEmbeddedApp } from '../support/programs/embedded-app.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';

const run = promisify(execFile);

/** The example app in a folder that has the packed package and its peers, and nothing else. */
const app = useFolder();
const installed = () => join(app(), 'node_modules', 'webhook-delivery-construct');
let tarball: string;

/** No way to the internet, no credentials, no Docker. */
const offline =
  'data:text/javascript,' +
  'import net from "node:net"; net.Socket.prototype.connect = () => { throw new Error("No network") }';
const node = (...args: readonly string[]) =>
  run(process.execPath, ['--import', offline, ...args], {
    cwd: app(),
    // Validation takes most of the time; app.test.ts runs with it.
    env: { CDK_OUTDIR: join(app(), 'out'), CDK_VALIDATION: 'false', HOME: app() },
  });

beforeAll(async () => {
  tarball = await installEmbeddedApp(app());
  await node('app.mjs');
});

const template = async (stack: string) => {
  const names = await readdir(join(app(), 'out'));
  const name = names.find((each) => each.includes(stack) && each.endsWith('.template.json')) ?? '';
  return await readFile(join(app(), 'out', name), 'utf8');
};

describe('the packed construct', () => {
  it('is below 15 MB, and brings no other package', async () => {
    expect((await stat(tarball)).size).toBeLessThan(15_000_000);
    expect(JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8'))).toMatchObject({
      peerDependencies: { 'aws-cdk-lib': expect.any(String), constructs: expect.any(String) },
    });
    const names = await readdir(join(app(), 'node_modules'));
    expect(names.filter((name) => !name.startsWith('.')).toSorted()).toEqual([
      'aws-cdk-lib',
      'constructs',
      'webhook-delivery-construct',
    ]);
  });

  it('contains the module, its declarations and the bundle of every function, and no source of the service', async () => {
    const files = await readdir(installed(), { recursive: true });

    const bundles = bundledFolders.map((folder) => `functions/${folder}/index.mjs`);
    expect(files.filter((name) => /\.m?[jt]s$/.test(name) && !name.includes('/files/')).toSorted()).toEqual(
      ['index.d.ts', 'index.js', 'service-props.d.ts', 'webhook-service.d.ts', ...bundles].toSorted(),
    );
  });

  it('has the licenses of all packages from which the construct, the functions and the pages have parts', async () => {
    const licenses = await readFile(join(installed(), 'THIRD-PARTY-LICENSES'), 'utf8');

    for (const name of ['zod', '@aws-sdk/client-sqs', '@middy/core', 'jose', 'tslib', 'preact', 'minisearch'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: [A-Z0-9]`, 'm'));
    expect(licenses).toContain('Copyright (c) 2015-present Jason Miller');
  });

  it('an app of CommonJS loads it too', async () => {
    const { stdout } = await node('-p', 'typeof require("webhook-delivery-construct").WebhookService');

    expect(stdout).toBe('function\n');
  });

  it('its declarations type-check an app, and find a wrong prop', async () => {
    const program = `import { App } from 'aws-cdk-lib';
      import { WebhookService } from 'webhook-delivery-construct';
      const service = new WebhookService(new App(), 'Webhooks', { logRetentionDays: 90 });
      export const url: string = service.apiUrl;`;
    await mkdir(join(app(), 'types'));
    await writeFile(join(app(), 'types/right.ts'), program);
    await writeFile(join(app(), 'types/wrong.ts'), program.replace('logRetentionDays', 'logRetention'));
    const compiler = join(repositoryRoot, 'node_modules', '.bin', 'tsc');
    const options = ['--noEmit', '--pretty', 'false', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    const libraries = ['--lib', 'es2024,dom', '--types', ''];

    const checking = run(compiler, [...options, ...libraries, 'types/right.ts', 'types/wrong.ts'], {
      cwd: app(),
    });

    await expect(checking).rejects.toMatchObject({
      stdout: expect.stringMatching(/^types\/wrong\.ts.*'logRetention'.*\n(?: {2}.*\n)*$/),
    });
  });
});

describe('examples/embedded, without network, credentials or Docker', () => {
  it('makes its own stack and those of the service, whose functions are the shipped bundles', async () => {
    const manifest = z
      .object({ artifacts: z.record(z.string(), z.object({ displayName: z.string().optional() })) })
      .parse(JSON.parse(await readFile(join(app(), 'out', 'manifest.json'), 'utf8')));
    const names = Object.values(manifest.artifacts).flatMap(({ displayName = [] }) => displayName);
    const assets = (await readdir(join(app(), 'out'))).filter((name) => name.startsWith('asset.'));
    const bundles = await Promise.all(assets.map((name) => readdir(join(app(), 'out', name))));

    expect(names.toSorted()).toEqual([
      'acme-platform',
      ...['api', 'data', 'delivery'].map((part) => `acme-platform/Webhooks/acme-hooks-${part}`),
    ]);
    expect(bundles.every((files) => files.includes('index.mjs'))).toBe(true);
    // The engine of the example, and no receiver for smoke tests.
    expect(bundles).toHaveLength(bundledFolders.length);
  });

  it('its function may send to the intake and nothing else', async () => {
    const { Resources } = JSON.parse(await template('acme-platform.'));
    const policies = Object.values<{ Type: string; Properties: unknown }>(Resources).filter(
      ({ Type }) => Type === 'AWS::IAM::Policy',
    );

    expect(policies).toMatchObject([
      { Properties: { PolicyDocument: { Statement: [{ Action: 'sqs:SendMessage', Effect: 'Allow' }] } } },
    ]);
  });

  it('its topic takes what alarms of its account publish, although a policy of its own replaces that of AWS', async () => {
    const { Resources } = JSON.parse(await template('acme-platform.'));
    const [policy] = Object.values<{ Type: string; Properties: { PolicyDocument: { Statement: unknown } } }>(
      Resources,
    ).filter(({ Type }) => Type === 'AWS::SNS::TopicPolicy');

    expect(policy?.Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        ...{ Effect: 'Allow', Action: 'sns:Publish', Principal: { Service: 'cloudwatch.amazonaws.com' } },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  });
});
