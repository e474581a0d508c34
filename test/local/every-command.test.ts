import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../tools/operator/cli/run-program.ts';
import { type Entry, entries } from '../../tools/webhooks/commands.ts';
import { leavesOf } from '../support/docs/operator-commands.ts';

/** Commands without `--json`, and why. */
const withoutJson = {
  start: 'prints the logs of the functions, as JSON with --json-logs',
  completion: 'prints a script for a shell',
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Loads a command again, and removes what it does at signals: other tests share this process. */
async function load(entry: Entry): Promise<Command> {
  const before = signals.flatMap((signal) => process.listeners(signal));
  const { command } = await entry.load();
  for (const signal of signals) {
    const added = process.listeners(signal).filter((listener) => !before.includes(listener));
    for (const listener of added) process.off(signal, listener);
  }
  return command;
}

const commandAt = (program: Command, path: readonly string[]): Command | undefined =>
  path.reduce<Command | undefined>(
    (found, name) => found?.commands.find((command) => command.name() === name),
    program,
  );

/** Every command that does something, by its words. */
const leaves = await Promise.all(
  entries.map(async (entry) => {
    const program = await load(entry);
    return leavesOf(program).map((path) => ({
      name: [entry.name, ...path].join(' '),
      ...{ entry, path, options: commandAt(program, path)?.options ?? [] },
    }));
  }),
);

describe('every command of webhooks', () => {
  it('prints JSON for --json, but for those that have no result', () => {
    const without = leaves.flat().filter(({ options }) => !options.some(({ long }) => long === '--json'));

    expect(without.map(({ name }) => name)).toEqual(Object.keys(withoutJson));
  });

  it.each(leaves.flat())('$name ends with 2 for an option that it does not have', async ({ entry, path }) => {
    const errors: string[] = [];
    const args = [...path, '--no-such-option'];

    await runProgram(await load(entry), { args, printError: (text) => errors.push(text) });

    const code = process.exitCode;
    process.exitCode = undefined;
    expect([code, errors]).toEqual([2, [expect.stringMatching(/^error: .*; use --help for usage\n$/)]]);
  });
});
