import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { adminProgram } from '../../../operator/admin-program.ts';

const program = adminProgram(() => undefined);

function leaves(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((sub) => leaves(sub, [...path, sub.name()]));
}

const commands = leaves(program);

describe('npm run admin', () => {
  it('has the commands of an operator', () => {
    expect(commands.map(([name]) => name)).toEqual([
      'customers create',
      'customers list',
      'customers show',
      'customers rename',
      'customers delete',
      'keys issue',
      'keys list',
      'keys revoke',
      'connections create',
      'connections revoke',
      'connections select-organization',
      'connections revoke-access',
      'webhooks list',
      'webhooks show',
      'webhooks spread',
      'portal-link create',
      'portal-link list',
      'portal-link revoke',
      'deliveries find',
      'deliveries show',
      'tokens mint',
      'dead-letters list',
      'dead-letters show',
      'dead-letters redrive',
      'dead-letters delete',
      'replay',
      'replays list',
      'replays show',
      'replays cancel',
      'audit',
    ]);
  });

  it.each(commands)(
    '%s describes itself, and has the options for both kinds of stack and for JSON',
    (name, command) => {
      const help = command.helpInformation();

      expect(help).toContain(`Usage: npm run admin -- ${name}`);
      expect(command.description()).toMatch(/^[A-Z]/);
      expect(help).toMatch(/--stage <name>[\s\S]*--stack-file <path>[\s\S]*--json[\s\S]*--help/);
    },
  );

  it.each(commands)('%s explains each of its options', (_name, command) => {
    expect(command.options.filter(({ description }) => description === '')).toEqual([]);
  });
});
