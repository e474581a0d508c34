import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';

const folder = useFolder();

/** For each shell, a program that prints what it offers for the last of its arguments, one on each line. */
const askers = {
  bash: `source ./script; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    set -- $(complete -p "\${1##*/}"); \${@: -2:1} "\${COMP_WORDS[0]}"; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Stands for the line editor, which would filter by the last word.
  zsh: `compdef() { :; }; _files() { print -l -- *; }; _describe() { print -l -- "\${(@P)2%%:*}"; }
    source ./script; words=("$@") CURRENT=$# service=$1; _webhook_delivery | grep "^$words[-1]"`,
  fish: 'source ./script; complete -C "$argv" | string split -f 1 \\t',
} as const;

const expected = {
  'webhook-delivery ad': ['admin'],
  'node_modules/.bin/webhook-delivery ad': ['admin'],
  'webhook-delivery admin dead-letters re': ['redrive'],
  // `replays` is the hidden earlier name.
  'webhook-delivery admin repl': ['replay'],
  'webhook-delivery admin deliveries find --status ': ['delivered', 'failed', 'pending', 'retrying'],
  // The values of options are no commands.
  'webhook-delivery admin customers create --name list --js': ['--json'],
  'webhook-delivery emit run.s': ['run.saved', 'run.settled'],
  'webhook-delivery verify bo': ['body.json'],
  'webhook-delivery start --data bo': ['body.json'],
  'webhook-delivery completion z': ['zsh'],
};

describe.each(Object.entries(askers))('webhook-delivery completion %s', (shell, asker) => {
  const isMissing = spawnSync(shell, ['--version']).status !== 0;

  beforeAll(() => {
    if (isMissing) return;
    const launcher = join(repositoryRoot, 'packages', 'cli', 'launcher.mjs');
    const script = execFileSync(process.execPath, [launcher, 'completion', shell]);
    writeFileSync(join(folder(), 'script'), script);
    writeFileSync(join(folder(), 'body.json'), '{}');
  });

  it('offers what can follow the words of a line', ({ skip }) => {
    if (isMissing) skip(`${shell} is not installed here`);
    const offeredAt = (line: string): readonly string[] => {
      const args = shell === 'fish' ? [line] : [shell, ...line.split(' ')];
      const run = spawnSync(shell, ['-c', asker, ...args], { cwd: folder(), encoding: 'utf8' });
      expect(run.stderr).toBe('');
      return run.stdout.trim().split('\n').toSorted();
    };

    const offered = Object.fromEntries(Object.keys(expected).map((line) => [line, offeredAt(line)]));

    expect(offered).toEqual(expected);
  });
});
