import { describe, expect, it, vi } from 'vitest';
import { show } from '../../../tools/operator/cli/output.ts';
import { nextCommand } from '../../../tools/operator/cli/target.ts';
import { factLines, textTable } from '../../../tools/operator/cli/text-table.ts';
import { runAdmin } from '../../support/stack/operate.ts';

describe('textTable()', () => {
  it('aligns its columns, without spaces at the end of a line', () => {
    expect(
      textTable(
        ['ID', 'NAME', 'CREATED'],
        [
          ['cus_1', 'Acme', null],
          ['cus_22', '', 'today'],
        ],
      ),
    ).toEqual(['ID      NAME  CREATED', 'cus_1   Acme  -', 'cus_22  -     today']);
  });

  it('keeps a row on one line, and removes control characters', () => {
    expect(textTable(['NAME'], [['a\nb\tc'], ['\u001b[31mred\u202e']])).toEqual(['NAME', 'a b c', '[31mred']);
  });
});

it('factLines() puts a space after a label that is wider than the others', () => {
  expect(factLines({ 'Failing since': 'today', Closed: null }, 8)).toEqual(['Failing since: today']);
});

it.each([
  [{ stackFile: '.local/stack.json' }, 'npm run admin -- audit'],
  [{ stackFile: '.local/second.json' }, 'npm run admin -- audit --stack-file .local/second.json'],
  [{ stackFile: "my stacks/it's.json" }, "npm run admin -- audit --stack-file 'my stacks/it'\\''s.json'"],
  [{ stackFile: '.local/stack.json', stage: 'prod' }, 'npm run admin -- audit --stage prod'],
])('nextCommand() acts on the same stack as %j, and is typed as this one was', (options, typed) => {
  expect(nextCommand(options, 'audit')).toBe(typed);

  vi.stubEnv('WEBHOOKS_LAUNCHER', String(process.ppid));

  expect(nextCommand(options, 'audit')).toBe(
    typed.replace('npm run admin --', 'node_modules/.bin/webhook-delivery admin'),
  );
});

describe('colours', () => {
  it('mark the states of a table, and keep its columns', () => {
    vi.stubEnv('FORCE_COLOR', '1');

    const rows = ['failed', 'pending', 'delivered'].map((status) => [status, 'failed']);

    expect(textTable(['STATUS', 'NAME'], rows)).toEqual([
      'STATUS     NAME',
      '\u001b[31mfailed\u001b[39m     failed',
      '\u001b[33mpending\u001b[39m    failed',
      '\u001b[32mdelivered\u001b[39m  failed',
    ]);
  });

  it('mark errors', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    const { output } = await runAdmin('customers', 'lst');

    expect(output).toMatch(/^.\[31merror: unknown command 'lst'.*.\[39m$/);
  });

  it('are left out where the output is no terminal', () => {
    vi.stubEnv('FORCE_COLOR', undefined);

    expect(textTable(['STATUS'], [['failed']])).toEqual(['STATUS', 'failed']);
  });
});

const printed = (options: { readonly json?: true }): string => {
  const written: string[] = [];
  show((text) => written.push(text), options, { id: 1 }, ['One', 'Two']);
  return written.join('');
};

it('show() prints lines for a person, or one line of JSON', () => {
  expect([printed({}), printed({ json: true })]).toEqual(['One\nTwo\n', '{"id":1}\n']);
});
