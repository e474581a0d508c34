import { existsSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { adminProgram } from '../../../tools/operator/cli/admin-program.ts';
import { emitProgram } from '../../../tools/operator/emit/emit-program.ts';
import {
  adminArguments,
  commandNames,
  emitArguments,
  filled,
  leavesOf,
  operatorCommands,
  provedElsewhere,
} from '../../support/docs/operator-commands.ts';

const commands = operatorCommands();
const print = () => {};
/** What the placeholders on the pages stand for. */
const samples = {
  'cus_…': 'cus_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  'whe_…': 'whe_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  '/endpoints/whe_…': '/endpoints/whe_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  'whd_…': 'whd_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  'evt_…': 'evt_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  'run_…': 'run_1',
  'rpl_…': 'rpl_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  '<id>': '1',
  '<id…>': '1',
  '<stage>': 'prod',
};
const unmarked = commands.filter(({ marked }) => !marked);

/** Parses a command line without running the command. @returns the error of the parser, or null */
async function parse(program: Command, args: readonly string[]): Promise<string | null> {
  let error: string | null = null;
  silence(program, (text) => {
    error = text.trim();
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
  }
  return error;
}

function silence(command: Command, outputError: (text: string) => void): void {
  command.exitOverride().configureOutput({ outputError, writeOut: () => {}, writeErr: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  for (const sub of command.commands) silence(sub, outputError);
}

describe('the commands of the pages for operators', () => {
  it('there are commands of every sort on the pages', () => {
    expect(commands.filter(({ marked }) => marked).length).toBeGreaterThan(20);
    expect(unmarked.filter(({ text }) => adminArguments(text) !== null).length).toBeGreaterThan(10);
  });

  it('a command of the AWS CLI is in a block that says so in its first line, or begins with `aws`', () => {
    const unsaid = unmarked.filter(({ text }) =>
      /\b(aws|cdk (bootstrap|diff|deploy|destroy)|npm run deploy)\b/.test(text),
    );

    expect(unsaid, 'Put `# needs an AWS account` in the first line of the block').toEqual([]);
  });

  it.each(
    commands.flatMap(({ page, text }) => {
      const admin = adminArguments(text);
      const args = admin ?? emitArguments(text);
      if (args === null) return [];
      return [{ page, text, args, program: admin === null ? emitProgram(print) : adminProgram(print) }];
    }),
  )('$page: the command line has only arguments and options that exist: $text', async ({ args, program }) => {
    expect(await parse(program, filled(args, samples))).toBeNull();
  });

  it('an option that does not exist would be found', async () => {
    expect(await parse(adminProgram(print), ['audit', '--since', '2h'])).toContain("unknown option '--since'");
  });

  it('docs/operating.md lists every command of npm run admin', () => {
    const listed = commandNames('operating.md');

    const missing = leavesOf(adminProgram(print)).filter((path) => !listed.includes(path.join(' ')));

    expect(missing.map((path) => path.join(' '))).toEqual([]);
  });

  it('a test that is named as the proof of a command exists', () => {
    expect(provedElsewhere.filter(({ by }) => !existsSync(by))).toEqual([]);
  });
});
