import type { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { runProgram } from '../../tools/operator/cli/run-program.ts';
import { type Entry, entries } from '../../tools/webhook-delivery/commands.ts';

/** Commands without `--json`, and why. */
const withoutJson = {
  start: 'prints the logs of the functions, as JSON with --json-logs',
  completion: 'prints a script for a shell',
};

/** Loads a command again. What it would do at signals is left out: other tests share this process. */
async function load(entry: Entry): Promise<Command> {
  const on = vi.spyOn(process, 'on').mockReturnValue(process);
  return (await entry.load().finally(() => on.mockRestore())).command;
}

type Leaf = { readonly entry: Entry; readonly path: readonly string[]; readonly command: Command };

function leavesOf(leaf: Leaf): readonly Leaf[] {
  const { commands } = leaf.command;
  if (commands.length === 0) return [leaf];
  return commands.flatMap((command) => leavesOf({ ...leaf, path: [...leaf.path, command.name()], command }));
}

/** Every command that does something. */
const leaves: Leaf[] = [];
for (const entry of entries) {
  leaves.push(...leavesOf({ entry, path: [entry.name], command: await load(entry) }));
}

describe('every command of webhook-delivery', () => {
  it('prints JSON for --json, but for those that have no result', () => {
    const without = leaves.filter(({ command }) => !command.options.some(({ long }) => long === '--json'));

    expect(without.map(({ path }) => path.join(' '))).toEqual(Object.keys(withoutJson));
  });

  it.each(leaves)('$path ends with 2 for an option that it does not have', async ({ entry, path }) => {
    const errors: string[] = [];
    const args = [...path.slice(1), '--no-such-option'];

    await runProgram(await load(entry), { args, printError: (text) => errors.push(text) });

    const code = process.exitCode;
    process.exitCode = undefined;
    expect([code, errors]).toEqual([2, [expect.stringMatching(/^error: .*; use --help for usage\n$/)]]);
  });
});
