import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../tools/local/servers/free-port.ts';
import { eventually } from '../stack/eventually.ts';
import { blockAfter, fileOnPage } from './page-blocks.ts';

const page = 'receive-and-verify.md';
const packages = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
const support = fileURLToPath(new URL('./', import.meta.url));

type Command = readonly [program: string, ...args: string[]];

/** A receiver that the page shows, or one in `examples`. */
export type PageReceiver = {
  readonly name: string;
  /** The headers that it verifies. */
  readonly format: 'X-Service-Signature' | 'Standard Webhooks';
  /** `stripe` accepts times in the future, and reads a time up to the first character that is no digit. */
  readonly readsTime?: 'as stripe does';
  /** Succeeds where the receiver can run. */
  readonly toolchain: Command;
  /** What is missing where it does not. */
  readonly needs: string;
  /** Whether its toolchain first compiles a standard library, half a minute on a machine without a cache. */
  readonly isSlowToBuild?: boolean;
  /**
   * Further statuses with which the server below the code, which it cannot change, may answer a body in chunks; 0 for
   * none. A server may let chunks count and drop a length beside them (RFC 9112, 6.1).
   */
  readonly inFront?: Readonly<Record<string, readonly number[]>>;
  /** Whether its own code reads chunks, and not a server below it. */
  readonly readsChunks?: boolean;
  /** Contents by file name. */
  readonly files: () => Readonly<Record<string, string>>;
  readonly build?: Command;
  readonly run: Command;
};

const node = process.execPath;
const verifyOfExpress = /^import \{ Webhook \}[\s\S]*?^\}\n/m;

/** The Express example with other code in the place of its verification. */
const expressWith = (code: string): string => {
  const app = fileOnPage(page, 'app.mjs');
  const changed = app.replace(verifyOfExpress, () => code);
  if (changed === app) throw new Error('The function to replace is not in app.mjs');
  return changed;
};

/** The Express example with another import alone. */
const expressWithImport = (code: string): string =>
  fileOnPage(page, 'app.mjs').replace(/^import \{ Webhook \}.*\n/m, () => code);

/** For a program that ends soon, in half the processor time. */
const quickJava = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

type Toolchain = Pick<PageReceiver, 'toolchain' | 'needs'>;
const onNode: Toolchain = { toolchain: [node, '--version'], needs: 'Node.js' };
const onPython: Toolchain = { toolchain: ['python3', '--version'], needs: 'python3' };
const onGo = {
  toolchain: ['go', 'version'],
  needs: 'go',
  isSlowToBuild: true,
  inFront: { 'both lengths': [204] },
} as const satisfies Partial<PageReceiver>;

const service = { format: 'X-Service-Signature' } as const;
const standard = { format: 'Standard Webhooks' } as const;
const express = { ...onNode, run: [node, 'app.mjs'] } as const;
const flask = {
  run: ['sh', '-c', 'exec python3 -m flask run --port "$PORT"'],
  // The development server knows chunks in their plainest form.
  inFront: { 'both lengths': [204], extensions: [400, 500], trailers: [400, 500] },
} as const;

/** Files that the page shows under their names. */
const shown =
  (...names: readonly string[]) =>
  () =>
    Object.fromEntries(names.map((name) => [name, fileOnPage(page, name)]));

export const pageReceivers: readonly PageReceiver[] = [
  { ...express, ...standard, name: 'Express with standardwebhooks', files: shown('app.mjs') },
  {
    ...express,
    ...standard,
    name: 'Express with svix',
    files: () => ({ 'app.mjs': expressWithImport(blockAfter(page, 'With `svix` in Node.js')) }),
  },
  {
    ...express,
    ...service,
    name: 'Express with stripe',
    readsTime: 'as stripe does',
    files: () => ({ 'app.mjs': expressWith(blockAfter(page, 'With `stripe` in Node.js')) }),
  },
  { ...onNode, ...service, name: 'Node.js', files: shown('receiver.mjs'), run: [node, 'receiver.mjs'] },
  {
    ...onPython,
    ...service,
    name: 'Python',
    readsChunks: true,
    files: shown('receiver.py'),
    run: ['python3', 'receiver.py'],
  },
  {
    ...flask,
    ...service,
    name: 'Flask',
    toolchain: ['python3', '-c', 'import flask'],
    needs: 'Flask',
    files: shown('app.py', 'receiver.py'),
  },
  {
    ...flask,
    ...standard,
    name: 'Flask with standardwebhooks',
    toolchain: ['python3', '-c', 'import flask, standardwebhooks'],
    needs: 'Flask or the Python package standardwebhooks',
    files: () => ({
      'app.py': fileOnPage(page, 'app.py').replace('request.headers.get("X-Service-Signature")', 'request.headers'),
      'receiver.py': `${blockAfter(page, 'With `standardwebhooks` in Python')}
def handle(event):
    print("Verified", event["type"], event["id"], flush=True)
`,
    }),
  },
  {
    ...onPython,
    ...service,
    name: 'Django',
    files: shown('webhooks.py', 'receiver.py'),
    run: ['python3', join(support, 'django-stand-in.py')],
  },
  {
    ...onGo,
    ...service,
    name: 'Go',
    files: shown('main.go'),
    build: ['go', 'build', '-o', 'receiver', 'main.go'],
    run: ['./receiver'],
  },
  {
    ...service,
    name: 'Ruby',
    toolchain: ['ruby', '--version'],
    needs: 'ruby',
    files: shown('config.ru'),
    run: ['ruby', join(support, 'rack-stand-in.rb'), 'config.ru'],
  },
  {
    ...service,
    name: 'PHP',
    inFront: { 'both lengths': [204] },
    toolchain: ['php', '--version'],
    needs: 'php',
    files: shown('receiver.php'),
    run: ['sh', '-c', 'exec php -S "127.0.0.1:$PORT" receiver.php'],
  },
  {
    ...service,
    name: 'Java',
    inFront: { trailers: [0] },
    toolchain: ['javac', '--version'],
    needs: 'javac',
    files: shown('Receiver.java'),
    // The page runs the source file, which compiles it at each start.
    build: ['javac', ...quickJava.map((option) => `-J${option}`), 'Receiver.java'],
    run: ['java', ...quickJava, '-cp', '.', 'Receiver'],
  },
];

/** The receivers in `examples`, as their README files start them. */
export const exampleReceivers: readonly PageReceiver[] = [
  { ...onNode, ...example('node'), run: [node, 'receiver.mjs'] },
  { ...onPython, ...example('python'), readsChunks: true, run: ['python3', 'receiver.py'] },
  { ...onGo, ...example('go'), build: ['go', 'build', '-o', 'receiver', '.'], run: ['./receiver'] },
];

function example(language: string) {
  const folder = new URL(`../../../examples/receiver-${language}/`, import.meta.url);
  const files = () =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
  return { ...service, name: `examples/receiver-${language}`, files };
}

/** Why a receiver cannot run here, or in the tests that run now. */
export function whySkipped({
  toolchain: [command, ...args],
  needs,
  isSlowToBuild = false,
}: Pick<PageReceiver, 'toolchain' | 'needs' | 'isSlowToBuild'>): string | undefined {
  if (isSlowToBuild && process.env.LONG_TESTS !== '1') return `${needs} is left to the long tests`;
  return spawnSync(command, args).status === 0 ? undefined : `${needs} is not installed here`;
}

/** A folder with the files of a receiver, as a reader makes it. @throws Error if they do not compile */
export async function createReceiverFolder(receiver: PageReceiver): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'page-receiver-'));
  for (const [name, content] of Object.entries(receiver.files())) await writeFile(join(dir, name), content);
  await linkPackages(dir);
  if (receiver.build !== undefined) {
    const [command, ...args] = receiver.build;
    const { status, stderr } = spawnSync(command, args, { cwd: dir, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} fails: ${stderr}`);
  }
  return dir;
}

/** Stands for `npm install`. */
async function linkPackages(dir: string): Promise<void> {
  const folder = join(dir, 'node_modules');
  await mkdir(folder);
  for (const name of ['standardwebhooks', 'svix', 'stripe', 'express']) {
    const installed = join(packages, name);
    if (existsSync(installed)) await symlink(installed, join(folder, name));
  }
  if (existsSync(join(folder, 'express'))) return;
  await mkdir(join(folder, 'express'));
  const standIn = `module.exports = require('${support}express-stand-in.ts').express;\n`;
  await writeFile(join(folder, 'express', 'index.js'), standIn);
}

/** A receiver that accepts connections. */
export type RunningPageReceiver = {
  readonly url: string;
  /** What it printed about events, in order. */
  verified(): readonly string[];
  stop(): Promise<void>;
};

/** Starts a receiver in its folder. @param secret empty before the registration */
export async function startPageReceiver(
  { run: [command, ...args] }: Pick<PageReceiver, 'run'>,
  dir: string,
  secret: string,
  chosenPort?: number,
  more: Readonly<Record<string, string>> = {},
): Promise<RunningPageReceiver> {
  const port = chosenPort ?? (await findFreePort());
  const child = spawn(command, args, {
    cwd: dir,
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a group of its own: `go run` and a shell start others.
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  // When the last process of the group has ended, which may have the port for longer than the shell that started it.
  const closed = once(child, 'close');
  await accepting(child, port, lines);
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    verified: () => lines.filter((line) => /Verified| ended as |^Ignored /.test(line)),
    stop: async () => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (isRunning && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await closed;
    },
  };
}

async function accepting(child: ChildProcess, port: number, lines: readonly string[]): Promise<void> {
  await eventually(async () => {
    if (child.exitCode !== null) return;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  });
  if (child.exitCode !== null) throw new Error(`The receiver ended:\n${lines.join('\n')}`);
}

export const removeFolder = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true });
