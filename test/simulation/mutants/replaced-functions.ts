import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Table } from '#shared/aws/clients.ts';

type Run = (...args: readonly unknown[]) => unknown;

/** The functions that take the place of others, by the table with which they are called. */
const replaced = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** The same table for functions that call other functions of `shared/aws/table` by these, by their names. */
export function replacing<T extends Table>(table: T, functions: Readonly<Record<string, unknown>>): T {
  const copy = { ...table };
  replaced.set(copy, functions);
  return copy;
}

const folder = path.join(import.meta.dirname, '../../../shared/aws/table');

/** Every file of `shared/aws/table`. */
export const tableFiles: readonly string[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join(folder, name));

/** A module whose functions give way to those that replace them. */
export async function replaceable(original: () => Promise<object>): Promise<object> {
  const members = Object.entries(await original());
  return Object.fromEntries(members.map(([name, value]) => [name, isRun(value) ? givingWay(name, value) : value]));
}

function givingWay(name: string, run: Run): Run {
  return (...args) => {
    const [table, ...rest] = args;
    const other = typeof table === 'object' && table !== null ? replaced.get(table)?.[name] : undefined;
    return isRun(other) ? other(...rest) : run(...args);
  };
}

function isRun(value: unknown): value is Run {
  return typeof value === 'function';
}
