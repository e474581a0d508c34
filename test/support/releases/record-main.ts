import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import * as z from 'zod';
import { createServiceClient } from '../../../local/stack/service-client.ts';
import { scanTable } from './scan-table.ts';
import { type ReleasedStack, storeEveryKind } from './store-every-kind.ts';

/**
 * Records what a release stores, as `test/fixtures/releases/<name>`: `rows.json`, written by the code of the release,
 * `kinds.json`, the kinds of rows that it writes, and `readers.mjs`, its readers of rows and messages. CONTRIBUTING.md says when.
 *
 * node test/support/releases/record-main.ts [folder of the release's checkout, with its packages] [its version]
 */
const [folder = '.', version = 'unreleased'] = process.argv.slice(2);
const root = resolve(folder);
const target = resolve(import.meta.dirname, '../../fixtures/releases', version);

const stackFile = z.object({
  api_url: z.string(),
  table_name: z.string(),
  endpoints: z.object({ dynamodb: z.string() }),
  receiver: z.object({ origin: z.string() }),
});
/** Runs a program of the release. @returns what it prints */
async function run(program: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join('bin', `${program}.ts`), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}`);
  return output;
}

async function openStack(): Promise<ReleasedStack> {
  const info = stackFile.parse(JSON.parse(await readFile(join(root, '.local/stack.json'), 'utf8')));
  const { call } = createServiceClient('dynamodb', info.endpoints.dynamodb);
  return {
    admin: async (...args) => JSON.parse(await run('admin', ...args, '--json')),
    emit: async (...args) => {
      await run('emit', ...args);
    },
    request: async (key, method, path, body) => {
      const response = await fetch(`${info.api_url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
      return answer === '' ? null : JSON.parse(answer);
    },
    receiver: info.receiver.origin,
    scan: () => scanTable(call, info.table_name),
    scanEvery: 5,
  };
}

async function recordRows(): Promise<void> {
  const args = ['bin/local.ts', '--port', '0', '--time-scale', '1200', '--quiet'];
  const stack = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const output of stack.stdout) if (String(output).includes('Ready after')) break;
    const rows = await storeEveryKind(await openStack());
    const lines = rows.map((row) => JSON.stringify(row)).toSorted();
    await writeFile(join(target, 'rows.json'), `[\n${lines.join(',\n')}\n]\n`);
  } finally {
    stack.kill('SIGINT');
    await Promise.race([once(stack, 'close'), sleep(10_000)]);
  }
}

/** The readers need only zod, which is left out, because both releases have it. */
async function recordReaders(): Promise<void> {
  const modules: string[] = [];
  const pattern = 'shared/{aws/table/*-item,contract/messages/*-message}.ts';
  for await (const path of glob(pattern, { cwd: root })) modules.push(path);
  await build({
    stdin: {
      contents: modules
        .toSorted()
        .map((path) => `export * from './${path}';`)
        .join('\n'),
      resolveDir: root,
    },
    outfile: join(target, 'readers.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['zod'],
    banner: { js: `// Made from version ${version} by test/support/releases/record-main.ts: never edit it.` },
  });
}

/** The kinds of rows that the release documents and writes. */
async function recordKinds(): Promise<void> {
  const page = await readFile(join(root, 'docs/table.md'), 'utf8');
  const [, table = ''] = page.split('| Item |');
  const [body = ''] = table.split('\n\n');
  const lines = body.split('\n').slice(2);
  const written = lines.filter((line) => !line.includes('| earlier releases |'));
  const kinds = written.map((line) => line.split('|')[1]?.trim());
  await writeFile(join(target, 'kinds.json'), `${JSON.stringify(kinds, null, 2)}\n`);
}

await mkdir(target, { recursive: true });
if (version !== 'unreleased') await Promise.all([recordKinds(), recordReaders()]);
await recordRows();
