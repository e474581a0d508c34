import { describe, expect, it } from 'vitest';
import { adminProgram } from '../../../tools/operator/cli/admin-program.ts';
import { leavesOf } from '../../support/docs/operator-commands.ts';

const program = adminProgram(() => undefined);

/** By their names; `operator-pages.test.ts` compares the list with the page. */
const commands = leavesOf(program).map((path) => {
  const command = path.reduce((found, name) => found.commands.find((sub) => sub.name() === name) ?? found, program);
  return [path.join(' '), command] as const;
});

describe('npm run admin', () => {
  it.each(commands)('%s describes itself and its options, among them both kinds of stack', (name, command) => {
    const help = command.helpInformation();

    expect(help).toContain(`Usage: npm run admin -- ${name}`);
    expect(command.description()).toMatch(/^[A-Z]/);
    expect(help).toMatch(/--stage <name>[\s\S]*--stack-file <path>[\s\S]*--help/);
    expect(command.options.filter(({ description }) => description === '')).toEqual([]);
  });

  it.each(['list', 'show', 'cancel'])(
    'still takes `replays %s`, the earlier name, which its help leaves out',
    (name) => {
      const earlier = program.commands.find((command) => command.name() === 'replays');

      expect(earlier?.commands.map((command) => command.name())).toContain(name);
      expect(program.helpInformation()).not.toMatch(/^ +replays /m);
    },
  );
});
