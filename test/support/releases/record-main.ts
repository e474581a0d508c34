import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { createServiceClient } from '../../../tools/local/stack/service-client.ts';
import { type RawRow, rawRow, scanTable } from './scan-table.ts';
import { type ReleasedStack, storeEveryKind } from './store-every-kind.ts';

/**
 * Records what this version stores: `test/fixtures/releases/unreleased/rows.json`, written by a stack of its own code.
 * Rows that the file has stay, because some last for milliseconds and are not seen each time. Delete those that this
 * version no longer writes.
 * With a version, records a release as well: its rows and its stateful resources.
 *
 * node test/support/releases/record-main.ts [version of the release]
 */
const [version] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../../..');
const releases = join(root, 'test/fixtures/releases');
const rowsOf = (name: string) => join(releases, name, 'rows.json');

const stackFile = z.object({
  api_url: z.string(),
  table_name: z.string(),
  endpoints: z.object({ dynamodb: z.string() }),
  receiver: z.object({ origin: z.string() }),
});
/** @returns what the program prints */
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
    apiUrl: info.api_url,
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
    const before = z.array(rawRow).parse(JSON.parse(await readFile(rowsOf('unreleased'), 'utf8')));
    const formOf = (row: unknown) => JSON.stringify(withoutChance(row));
    const known = Map.groupBy(before, formOf);
    const seen = new Set(rows.map(attributesOf));
    const kept = [
      ...before.filter((row) => !seen.has(attributesOf(row))),
      ...rows.map((row) => known.get(formOf(row))?.shift() ?? row),
    ];
    const lines = kept.map((row) => JSON.stringify(row));
    await writeFile(rowsOf('unreleased'), `[\n${lines.toSorted().join(',\n')}\n]\n`);
  } finally {
    stack.kill('SIGINT');
    await Promise.race([once(stack, 'close'), sleep(10_000)]);
  }
}

/** The names of the attributes of a row, with what it is a row of and its status. */
function attributesOf(row: RawRow): string {
  return [String(row.pk?.S).replace(/#.*/, ''), row.status?.S, ...Object.keys(row).toSorted()].join(' ');
}

/** What has a digit, small and capital letters, or eight capitals: ids and their ends, secrets and numbers. */
const chance = /[\w+/=-]*\d[\w+/=-]*|^(?=.*[a-z])(?=.*[A-Z])[\w+/=-]+$|^[A-Z]{8}$/g;

/** A row without ids, secrets, numbers and order, which are others in each run: what differs in them alone is kept. */
function withoutChance(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(chance, '…');
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(withoutChance(item))))].toSorted();
  if (typeof value !== 'object' || value === null) return value;
  if ('NULL' in value) return { N: '…' };
  return Object.fromEntries(
    Object.entries(value)
      .toSorted()
      .map(([name, own]) => [name, withoutChance(own)]),
  );
}

async function recordRelease(name: string): Promise<void> {
  await mkdir(join(releases, name), { recursive: true });
  await copyFile(rowsOf('unreleased'), rowsOf(name));
  const resources = join(root, 'test/infra/releases');
  const unreleased = await readFile(join(resources, 'unreleased.json'), 'utf8');
  await writeFile(join(resources, `${name}.json`), unreleased.replace('"unreleased"', JSON.stringify(name)));
}

await recordRows();
if (version !== undefined) await recordRelease(version);
