import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { functionFolders } from '#shared/contract/functions.ts';
import { repositoryRoot } from '../../lib/bundle.ts';

const run = promisify(execFile);
const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      Metadata: z.looseObject({ 'aws:asset:path': z.string().optional() }).optional(),
    }),
  ),
});

let outDir: string;

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'app-'));
});

afterAll(() => rm(outDir, { recursive: true }));

describe('bin/app.ts', () => {
  it('writes templates that validate, and the bundle of every function, with no AWS settings', async () => {
    await runCdk('synth', '--quiet', '--output', outDir);

    const bundles = await Promise.all(['api', 'delivery'].map((name) => assetsOf(`webhooks-dev-${name}`)));
    const sizes = await Promise.all(bundles.flat().map((asset) => stat(join(outDir, asset, 'index.mjs'))));
    expect(sizes).toHaveLength(functionFolders.length);
  });

  it('the app names a wrong setting, its value and the expected value', async () => {
    const attempt = runApp({ stage: 'Not A Stage' });

    await expect(attempt).rejects.toThrow('stage is "Not A Stage", expected a lower-case letter');
  });

  it('the app refuses a mistyped setting, with which it would deploy another stage', async () => {
    const attempt = runApp({ stagee: 'prod' });

    await expect(attempt).rejects.toThrow('stagee is not a setting; did you mean stage?');
  });
});

/** What `npm run synth` and `npm run deploy` call. */
async function runCdk(...args: readonly string[]): Promise<void> {
  const command = join(repositoryRoot, 'node_modules/aws-cdk/bin/cdk');
  // The command of cdk.json runs the Node.js that the PATH finds.
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: outDir };
  await run(process.execPath, [command, ...args], { cwd: repositoryRoot, env });
}

/** Runs the app as the CDK CLI does. */
async function runApp(context: Readonly<Record<string, string>>): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    HOME: outDir,
    CDK_OUTDIR: outDir,
    CDK_CONTEXT_JSON: JSON.stringify(context),
  };
  await run(process.execPath, [join(repositoryRoot, 'bin/app.ts')], { env });
}

async function assetsOf(stack: string): Promise<readonly string[]> {
  const text = await readFile(join(outDir, `${stack}.template.json`), 'utf8');
  const { Resources } = templateSchema.parse(JSON.parse(text));
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  return functions.flatMap(({ Metadata }) => Metadata?.['aws:asset:path'] ?? []);
}
