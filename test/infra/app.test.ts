import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { bundledFolders, functionFolders } from '#shared/contract/functions.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { adminArguments, emitArguments, operatorCommands, provedElsewhere } from '../support/docs/operator-commands.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { publishedIn } from './published.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const run = promisify(execFile);

const [home, checkout] = [useFolder(), useFolder()];

describe('the commands of the pages for operators that need no AWS account', () => {
  it('run as written in a checkout, they write valid templates with the settings of the stage, and every bundle', async () => {
    await copySources();
    const commands = operatorCommands().filter(
      ({ marked, text }) => !marked && (adminArguments(text) ?? emitArguments(text)) === null,
    );
    const texts = new Set(commands.map(({ text }) => text));
    for (const text of texts) {
      if (!provedElsewhere.some(({ command }) => command.test(text))) await runAsWritten(text);
    }

    expect([...texts]).toEqual(
      expect.arrayContaining(['cp stages/example.json stages/prod.json', 'npm run synth -- -c stage=prod']),
    );
    const bundles = await Promise.all(['api', 'delivery'].map((name) => assetsOf(`webhooks-prod-${name}`)));
    const sizes = await Promise.all(
      bundles.flat().map((asset) => stat(join(checkout(), 'cdk.out', asset, 'index.mjs'))),
    );
    expect(sizes).toHaveLength(functionFolders.length);
    expect(await templateOf('webhooks-prod-delivery')).toContain('"Endpoint": "ops@example.com"');
    const notes = await readFile(join(checkout(), 'cdk.out', 'webhooks-prod-data.metadata.json'), 'utf8');
    expect(notes).not.toContain('stages/prod.json does not exist');
    const files = await publishedIn(join(checkout(), 'cdk.out'));
    expect(files.get('console.html')).toContain('<title>Webhooks</title>');
    expect(files.get('console.html')).toContain('<div id="console"></div>');
    expect([...files.keys()].filter((name) => name.includes('logo'))).toEqual([]);
    expect(files.get('docs/first-event.html')).not.toMatch(/Edit this page|Give feedback/);
  });
});

it('the CDK CLI says so when a stage that is named has no file', async () => {
  const notes = ({ assembly }: SynthesizedStage) =>
    assembly.stacks.flatMap(({ messages }) => messages.map(({ entry }) => entry.data));

  expect(notes(await synthesizeStage(everyOption))).toEqual([
    expect.stringMatching(/^stages\/prod\.json does not exist/),
  ]);
  // It is silent about a stage with a file: the commands above write the templates of one.
  expect(notes(await synthesizeStage())).toEqual([]);
});

describe('bin/app.ts', () => {
  it('the app refuses a mistyped setting, with which it would deploy another stage', async () => {
    vi.stubEnv('CDK_CONTEXT_JSON', '{"stagee":"prod"}');
    // The CDK makes the folder of the templates there before it reads a setting.
    vi.stubEnv('TMPDIR', home());
    const print = vi.spyOn(console, 'error').mockReturnValue();

    await import('../../bin/app.ts');

    expect(print.mock.calls).toEqual([
      ['Cannot use the deployment settings: stagee is not a setting; did you mean stage?'],
    ]);
    expect(process.exitCode).toBe(1);
    process.exitCode = undefined;
    print.mockRestore();
  });
});

/**
 * A checkout that shares with this repository what commands only read, with functions that take no time to bundle.
 * Sources that find the checkout by their own path are copies.
 */
async function copySources(): Promise<void> {
  const copied = ['bin', 'lib', 'site', 'stages'];
  const own = ['dist', 'cdk.out', 'functions', 'test', '.git', '.local'];
  const names = (await readdir(repositoryRoot)).filter((name) => !own.includes(name));
  await Promise.all(
    names.map((name) => {
      const [from, to] = [join(repositoryRoot, name), join(checkout(), name)];
      return copied.includes(name) ? cp(from, to, { recursive: true }) : symlink(from, to);
    }),
  );
  for (const folder of bundledFolders) {
    await mkdir(join(checkout(), 'functions', folder), { recursive: true });
    await writeFile(join(checkout(), 'functions', folder, 'handler.ts'), 'export const handler = () => undefined;\n');
  }
}

/** A command in a shell without AWS settings. */
async function runAsWritten(text: string): Promise<void> {
  // The command of cdk.json runs the Node.js that the PATH finds.
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home() };
  await run('sh', ['-c', text], { cwd: checkout(), env });
}

async function assetsOf(stack: string): Promise<readonly string[]> {
  const text = await templateOf(stack);
  return [...text.matchAll(/"aws:asset:path": "([^"]+)"/g)].map(([, asset = '']) => asset);
}

function templateOf(stack: string): Promise<string> {
  return readFile(join(checkout(), 'cdk.out', `${stack}.template.json`), 'utf8');
}
