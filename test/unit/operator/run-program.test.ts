import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { adminProgram } from '../../../tools/operator/cli/admin-program.ts';
import { messageWithCauses } from '../../../tools/operator/cli/run-program.ts';
import { UsageError } from '../../../tools/operator/cli/usage-error.ts';
import { runAdmin, runCommand } from '../../support/stack/operate.ts';

/** A program with a subcommand whose action fails in this way. */
const failing = (error: Error) => () => {
  const program = new Command('npm run test --');
  program
    .command('go')
    .option('--fast', 'be fast')
    .action(() => {
      throw error;
    });
  return program;
};

describe('runProgram()', () => {
  it('ends with 0 after --help and --version, and prints the version of the package', async () => {
    expect(await runCommand(adminProgram, ['--version'])).toEqual({
      code: 0,
      output: `${manifest.version}\n`,
    });
    expect(await runCommand(adminProgram, ['webhooks', 'show', '--help'])).toEqual({
      code: 0,
      output: expect.stringMatching(/^Usage: npm run admin -- webhooks show \[options\] <id>(?![\s\S]*--endpoint)/),
    });
  });

  it.each([
    [['go', '--fsat'], "error: unknown option '--fsat' (Did you mean --fast?); use --help for usage"],
    [['og'], "error: unknown command 'og' (Did you mean go?); use --help for usage"],
    [['go', 'home'], /^error: too many arguments/],
  ])('ends with 2 and one line for the wrong command line %j', async (args, line) => {
    expect(await runCommand(failing(new Error('not reached')), args)).toEqual({
      code: 2,
      output: typeof line === 'string' ? line : expect.stringMatching(line),
    });
  });

  it('ends with 2 for a mistake that a command finds, and with 1 for any other failure', async () => {
    const usage = await runCommand(failing(new UsageError('Give a name')), ['go']);
    const failure = await runCommand(failing(new Error('The disk is full.')), ['go']);

    expect([usage, failure]).toEqual([
      { code: 2, output: 'Give a name' },
      { code: 1, output: 'The disk is full' },
    ]);
  });

  it('can name the causes of a failure, without which "fetch failed" says nothing', () => {
    const cause = new Error('other side closed');

    expect(messageWithCauses(new TypeError('fetch failed', { cause }))).toBe('fetch failed: other side closed');
  });
});

const replay = ['replay', '--since', '1h', '--yes'];

describe('npm run admin', () => {
  const needsName = 'A customer needs a name, which the lists show: add --name "First customer"';

  it.each<[readonly string[], string]>([
    [['customers', 'create'], needsName],
    [['customers', 'create', '--name', ''], needsName],
    [['customers', 'create', '--name', ' '], needsName],
    [
      ['webhooks', 'spread', '--customer', 'c', '--webhook', 'w', '--partitions', '33'],
      'Give a whole number from 1 to 32',
    ],
    [['tokens', 'mint', '--connection', 'c', '--stage', 'prod'], 'tokens create works on the local stack only'],
    [['keys', 'create'], "required option '--customer <id>' not specified"],
    [['keys', 'revoke', 'aky_1', '--customer', 'c'], 'Not an interactive terminal: add --yes to confirm'],
    [['portal-link', 'revoke', 'plk_1', '--customer', 'c'], 'add --yes to confirm'],
    [['connections', 'revoke', 'con_1'], 'add --yes to confirm'],
    [['customers', 'delete', 'cus_1'], 'add --yes to confirm, or --dry-run to see the plan only'],
    [['dead-letters', 'delete', 'one'], 'add --yes to confirm, or --dry-run'],
    [['customers', 'show'], 'Missing argument: give the id of the customer'],
    [['customers', 'show', 'cus_1', '--customer', 'cus_2'], 'Give the id of the customer once'],
    [['customers', 'create', '--name', 'A', '--reference', 'a b'], 'Give 1 to 128 visible ASCII characters'],
    [['customers', 'create', '--name', 'A', '--metadata', 'a b=c'], 'Give name=value: a name of letters'],
    [['portal-link', 'create', '--customer', 'c', '--to', '//evil.example'], 'Give what follows # in the address'],
    [['keys', 'issue', '--custmer', 'c'], "unknown option '--custmer' (Did you mean --customer?)"],
    [['portal-link', '--customer', 'c', '--minutes', '1441'], 'Give a whole number from 1 to 1440'],
    [[...replay, '--all', '--customer', 'c'], "'--all' cannot be used with option '--customer <id>'"],
    [[...replay, '--all', '--detach'], "'--all' cannot be used with option '--detach'"],
    [[...replay, '--all', '--rate', '401'], 'Give a whole number from 1 to 100, or to 400 with --all'],
    [[...replay, '--customer', 'c', '--rate', '101'], '--rate must be at most 100, or 400 with --all'],
    [[...replay, '--customer', 'c', '--source', 'whe_1'], 'Give --source with the --endpoint'],
    [[...replay, '--all', '--until', '2999-01-01'], '--until must not be in the future'],
    [[...replay, '--all', '--since', '2026-01-02', '--until', '2026-01-02'], '--since must be before --until'],
    [replay, 'Give --customer <id>, --endpoint <id> or both, or --all'],
    [replay.toSpliced(1, 0, 'start'), 'Give --customer <id>, --endpoint <id> or both, or --all'],
    [[...replay.slice(0, -1), '--all'], 'Not an interactive terminal: add --yes to confirm, or --dry-run'],
    [['dead-letters', 'delete', '--malformed'], 'Not an interactive terminal: add --yes to confirm, or'],
  ])('ends with 2 for %j, before it looks for a stack', async (args, reason) => {
    expect(await runAdmin(...args)).toEqual({ code: 2, output: expect.stringContaining(reason) });
  });

  it.each([
    [undefined, /^No local stack is running \(\S+ is missing\): run `npm start`, or name a stage with --stage$/],
    ['{}', /^\S+ was not written by this version of the local stack: start it again with npm start$/],
    ['{', /^\S+ was not written by this version of the local stack: start it again with npm start$/],
  ])('says in one line what to do about a stack file with the content %j', async (content, line) => {
    const dir = await mkdtemp(join(tmpdir(), 'run-program-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const file = join(dir, 'stack.json');
    if (content !== undefined) await writeFile(file, content);

    const { code, output } = await runAdmin('customers', 'list', '--stack-file', file);

    expect([code, output]).toEqual([1, expect.stringMatching(line)]);
  });
});
