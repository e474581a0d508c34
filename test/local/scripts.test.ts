import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { useFolder } from '../support/vitest/temporary-folder.ts';

type Script = keyof typeof manifest.scripts;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { PATH = '', HOME = '' } = process.env;
/** Only what a new terminal has, as a script must not need what the tests set; and what the programs share compiled. */
const env = {
  PATH: [join(root, 'node_modules', '.bin'), PATH].join(delimiter),
  HOME,
  NODE_COMPILE_CACHE: join(root, 'dist', 'compile-cache'),
};

/** Where scripts write that would change the checkout. */
const folder = useFolder();
beforeAll(() => mkdir(join(folder(), 'docs')));

/** Runs a script of package.json as npm does. */
const run = (script: Script, args: readonly string[] = []): Promise<string> =>
  runCommand(manifest.scripts[script], args, root);

async function runCommand(command: string, args: readonly string[], cwd: string): Promise<string> {
  const text = `${command.replace(/bin\/\S+/, '"$ROOT"$&')} "$@"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', text, 'sh', ...args], { cwd, env: { ...env, ROOT: root } });
  return stdout;
}

/** Scripts with a command line of the service. */
const programs = [
  'admin',
  'bench',
  'conformance',
  'crashes',
  'demo',
  'emit',
  'emulate',
  'listen',
  'outages',
  'simulate',
  'world',
  'smoke',
] as const satisfies readonly Script[];

/** Scripts that are run for real, with arguments that keep them short and the checkout as it is. */
const shortRuns: readonly (readonly [Script, () => Promise<string>])[] = [
  ['build', () => run('build')],
  ['format', () => run('format', ['--help'])],
  ['simulate', () => run('simulate', ['--runs', '1'])],
];

/**
 * `npm test` runs the checks, `npm run emulate` deploys, test/infra/app.test.ts runs `docs:site` and `synth`, and tests
 * of what they write the others.
 */
const provedElsewhere: readonly Script[] = [
  'build:cli',
  'build:construct',
  'build:producer',
  'check',
  'check:lint',
  'check:openapi',
  'check:types',
  'check:unused',
  'deploy',
  'docs:site',
  'synth',
  'test',
];

const testScripts = Object.entries(manifest.scripts).filter(([, command]) => /vitest|npm run/.test(command));

describe('package.json', () => {
  it('has no script that is never started', () => {
    const started = new Set<string>([
      'start',
      ...programs,
      ...shortRuns.map(([name]) => name),
      'build:types',
      ...provedElsewhere,
      ...testScripts.map(([name]) => name),
    ]);

    expect(Object.keys(manifest.scripts).filter((name) => !started.has(name))).toEqual([]);
  });

  it.each(shortRuns)('%s runs without anything in the environment', async (_name, runScript) => {
    await expect(runScript()).resolves.toEqual(expect.any(String));
  });

  it.each([
    ['20.0.0', 1, /^Node.js 20.0.0 is too old: .* npm ci --ignore-scripts=false\n$/],
    ['24.4.1', 1, /^Node.js 24.4.1 is too old/],
    ['24.5.0', 0, /^$/],
    ['25.0.0', 0, /^$/],
  ])('start and test say what to do on Node.js %s, where npm has not installed another', (version, status, says) => {
    const fake = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
    const [start, test = ''] = [manifest.scripts.start.replace('bin/local.ts', '--print 1'), manifest.scripts.test];
    for (const command of [start, test.replace(/; .*/, '')]) {
      const ended = spawnSync('sh', ['-c', command], {
        cwd: root,
        env: { ...env, NODE_OPTIONS: `--import "${fake}"` },
        encoding: 'utf8',
      });
      expect(ended).toMatchObject({ status, stderr: expect.stringMatching(says) });
    }
  });

  it('record writes the committed description', async () => {
    const [describeApi = ''] = manifest.scripts.record.split(' && ');

    await runCommand(describeApi, [], folder());

    const written = await readFile(join(folder(), 'docs', 'openapi.json'), 'utf8');

    expect(written).toBe(await readFile(join(root, 'docs', 'openapi.json'), 'utf8'));
  });

  it('build:types finds its files in a folder whose name means something else in a URL', async () => {
    const clone = join(folder(), 'C# 50%25?');
    await mkdir(join(clone, 'packages', 'api-client'), { recursive: true });
    await Promise.all(['docs', 'test'].map((name) => symlink(join(root, name), join(clone, name))));

    await runCommand(manifest.scripts['build:types'], [], clone);

    const written = await readFile(join(clone, 'packages', 'api-client', 'schema.ts'), 'utf8');
    expect(written).toContain('export interface paths');
  });

  it.each(testScripts)('%s names scripts, projects and files that exist', async (_name, command) => {
    const named = (pattern: RegExp) => [...command.matchAll(pattern)].map(([, name = '']) => name);
    const config = await readFile(join(root, 'vitest.config.ts'), 'utf8');
    const projects = [...config.matchAll(/project\('([\w-]+)'/g)].map(([, project]) => project);

    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named(/npm run (?:--silent )?([\w:]+)/g)));
    expect(projects).toEqual(expect.arrayContaining(named(/--project '?!?([\w-]+)/g)));
    expect(named(/ (test\/\S+)/g).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

/**
 * Runs programs one after the other in one process, which finds a broken import as each in its own would. The last may
 * end the process.
 *
 * @param code the body of a loop over the arguments
 * @returns what each printed
 */
async function runInOneProcess(code: string, each: readonly (readonly string[])[]): Promise<readonly string[]> {
  const loop = `for (const args of ${JSON.stringify(each)}) { ${code}; process.stdout.write('\\0'); }`;
  const args = ['--input-type=module', '-e', loop];
  return (await promisify(execFile)(process.execPath, args, { cwd: root, env })).stdout.split('\0');
}

// `smoke` is the last, as it ends the process. A test of `runProgram()` has the rest.
describe('--help', () => {
  const scripts = ['start', ...programs] as const;
  let helps: readonly string[];
  beforeAll(async () => {
    const files = scripts.map(
      (script) => /^(?:exec )?node (?:--import \S+ )?(\S+)$/.exec(manifest.scripts[script])?.[1] ?? '',
    );
    const code = `process.argv = ['node', args[0], '--help']; await import(${JSON.stringify(root)} + args[0])`;
    helps = await runInOneProcess(
      code,
      files.map((file) => [file]),
    );
  });

  it.each(scripts.map((script, index) => [script === 'start' ? 'npm start' : `npm run ${script}`, index]))(
    'of %s names the command as it is typed, what it does, and its --version',
    (typed, index) => {
      const help = helps[Number(index)] ?? '';

      expect(help).toMatch(new RegExp(`^Usage: ${typed} -- \\[options\\].*\n\n[A-Z]`));
      expect(help).toMatch(/^ {2}--version {2,}print the version$/m);
      if (typed === 'npm run outages') expect(help).toContain('default: all');
    },
  );
});

/** Every command of `webhook-delivery`, as in its list. */
const commands = ['start', 'listen', 'verify', 'emit', 'admin', 'smoke', 'completion'] as const;
/** The one that ends the process is the last. */
const described = commands.toSorted((one, other) => Number(one === 'smoke') - Number(other === 'smoke'));

describe('webhook-delivery', () => {
  const launcher = join(root, 'packages', 'cli', 'launcher.mjs');
  // The environment has no Node.js 24 in its path, as in a new terminal.
  const webhooks = (args: readonly string[], file = launcher) =>
    promisify(execFile)(process.execPath, [file, ...args], { cwd: folder(), env: { PATH, HOME } });

  it('lists its commands', async () => {
    const { stdout } = await webhooks(['--help']);

    expect(stdout).toMatch(/^Usage: webhook-delivery \[options\] \[command\]\n/);
    const listed = [...stdout.matchAll(/^ {2}(\w+)(?: \[command\])? {2,}[a-z]/gm)].map(([, name]) => name);
    expect(listed).toEqual([...commands, 'help']);
  });

  describe('--help', () => {
    let helps: readonly string[];
    let topics: readonly string[];
    beforeAll(async () => {
      const module = join(root, 'tools', 'webhook-delivery', 'run-webhook-delivery.ts');
      const code = `await (await import(${JSON.stringify(module)})).runWebhookDelivery(args)`;
      const asked = [...described.map((name) => ['help', name]), ...described.map((name) => [name, '--help'])];
      const printed = await runInOneProcess(code, asked);
      topics = printed.slice(0, described.length);
      helps = printed.slice(described.length);
    });

    it.each(described.map((command, index) => [command, index] as const))(
      'of %s names the command as it is typed, and what it does, as help %s does',
      (command, index) => {
        const help = helps[index] ?? '';

        expect(help).toMatch(new RegExp(`^Usage: webhook-delivery ${command} \\[options\\].*\n\n[A-Z]`));
        expect(help).not.toContain('npm run');
        expect(topics[index]).toBe(help);
      },
    );
  });

  it('ends with the exit code of the command, and says what is wrong', async () => {
    await expect(webhooks(['lisen'])).rejects.toMatchObject({
      code: 2,
      stderr: "error: unknown command 'lisen' (Did you mean listen?); use --help for usage\n",
    });
    await expect(webhooks(['admin', 'customers', 'list'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^No local stack is running/),
    });
  });

  it.each([
    ['as the command does when a signal stops it', 'exec "$0" "$@"', 'SIGTERM', [143, null]],
    ['when the shell of npm ends, which forwards no signal', '"$0" "$@"; true', 'SIGKILL', [null, 'SIGKILL']],
  ] as const)('ends, with all that it started, %s', async (_when, script, signal, outcome) => {
    const child = spawn('sh', ['-c', script, process.execPath, launcher, 'start', '--port', '0'], {
      cwd: folder(),
      env: { PATH, HOME, npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // Once nobody has its output open.
    const closed = once(child, 'close');
    await once(child.stdout, 'data');

    child.kill(signal);

    expect(await closed).toEqual(outcome);
  });

  it('says nothing of a reader that is gone, such as head', async () => {
    const child = spawn(process.execPath, [launcher, 'admin', '--help'], {
      cwd: folder(),
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();

    const errors = await text(child.stderr);

    expect(errors).toBe('');
  });

  it('says what to do where npm has installed nothing', async () => {
    const copy = join(folder(), 'clone', 'packages', 'cli', 'launcher.mjs');
    await cp(launcher, copy);

    await expect(webhooks([], copy)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /node is missing: run npm ci --ignore-scripts=false in \S+\/clone\/, which installs/,
      ),
    });
  });
});
