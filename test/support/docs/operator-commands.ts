import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { adminProgram } from '../../../tools/operator/cli/admin-program.ts';

/** A command on a page for operators, as written. */
export type PageCommand = {
  readonly page: string;
  /** One line, without the backslashes that continue lines. */
  readonly text: string;
  /** Whether the page says that it needs an AWS account. */
  readonly marked: boolean;
};

const folder = new URL('../../../docs/', import.meta.url);

/** Every page for operators that has commands. */
const pages = globSync(['operating.md', 'operating/*.md', 'runbook.md'], {
  cwd: fileURLToPath(folder),
}).toSorted();

/** The first line of a block that needs an account. */
const marker = '# needs an AWS account';

/**
 * Every command in a block or in code style in a text, in order. A bare name, such as `keys issue` in a list of
 * commands, is not among them: `commandNames` has those.
 */
export function operatorCommands(): readonly PageCommand[] {
  return pages.flatMap((page) => {
    const text = readFileSync(new URL(page, folder), 'utf8');
    const parts = text.split(/^ *```(\w*)\n([\s\S]*?)^ *```$/m);
    return parts.flatMap((part, index) => {
      // The split gives a text, the language of a block and its code, in turn.
      if (index % 3 === 0) return inText(page, part);
      return index % 3 === 2 && parts[index - 1] === 'sh' ? inBlock(page, part) : [];
    });
  });
}

function inBlock(page: string, code: string): readonly PageCommand[] {
  const lines = code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim());
  const marked = lines[0] === marker;
  return lines.filter((line) => line !== '' && line !== marker).map((text) => ({ page, text, marked }));
}

/** A command with `…` in place of its words is a form of commands, not a command. */
function inText(page: string, text: string): readonly PageCommand[] {
  const spans = [...text.replaceAll(/\s*\n\s*/g, ' ').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return spans
    .filter((span) => /^(npm|npx|aws|node|git|cp) /.test(span) || adminArguments(span) !== null)
    .filter((span) => span !== 'npm run admin' && !/ …( |$)/.test(span.replace(/[a-z]+_…/g, 'x')))
    .filter((span) => !isName(span))
    .map((span) => ({ page, text: span, marked: span.startsWith('aws ') }));
}

const leaves = leavesOf(adminProgram(() => undefined)).map((path) => path.join(' '));

const isName = (span: string): boolean => leaves.includes(span.replace(/( <[^>]+>)+$/, ''));

/** Names of admin commands in code style on a page, such as `keys issue` or `dead-letters show <id>`. */
export function commandNames(page: string): readonly string[] {
  const text = readFileSync(new URL(page, folder), 'utf8');
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return spans.filter(isName).map((span) => span.replace(/( <[^>]+>)+$/, ''));
}

/** Puts values in the place of `cus_…`, `<id>` and the like. @throws Error for a placeholder without a value */
export function filled(args: readonly string[], values: Readonly<Record<string, string>>): readonly string[] {
  return args.map((arg) => {
    if (!/…|^<.*>$/.test(arg)) return arg;
    const value = values[arg];
    if (value === undefined) throw new Error(`Say in the test what ${arg} stands for on the page`);
    return value;
  });
}

/** The arguments of an admin command, also without `npm run admin --`; null for anything else. */
export function adminArguments(text: string): readonly string[] | null {
  const words = wordsOf(text.replace(/^npm run admin -- /, ''));
  const [group, name] = words;
  const found = adminProgram(() => undefined).commands.find((command) => command.name() === group);
  if (found === undefined) return text.startsWith('npm run admin -- ') ? words : null;
  const isComplete = found.commands.length === 0 || found.commands.some((sub) => sub.name() === name);
  return isComplete || text.startsWith('npm run admin -- ') ? words : null;
}

/** The arguments of `npm run emit`; null for another command. */
export function emitArguments(text: string): readonly string[] | null {
  const [, rest] = /^npm run emit -- (.*)$/.exec(text) ?? [];
  return rest === undefined ? null : wordsOf(rest);
}

/** Words of a shell command: quotes group, and `<a placeholder>` is one word. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(<[^>]*>)|(\S+)/g)].map(
    ([all, double, single]) => double ?? single ?? all,
  );
}

/** Without `--stage`, as the page allows: the command then acts on the local stack. */
export function onLocalStack(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--stage');
  return at === -1 ? args : args.toSpliced(at, 2);
}

/** Commands of other programs that need no account, and why the tests of the pages do not run them. */
export const provedElsewhere: readonly { readonly command: RegExp; readonly by: string }[] = [
  { command: /^npm ci$/, by: 'CONTRIBUTING.md' },
  { command: /^npm start$/, by: 'test/e2e/own-stack.test.ts' },
  {
    command: /^npm (run build:construct\b|(pack|install)\b.*construct)/,
    by: 'test/infra/construct-package.test.ts',
  },
  { command: /^npm run smoke\b/, by: 'test/e2e/smoke-checks.test.ts' },
  // It replays the deliveries of all tests.
  { command: /^npm run admin -- replay start --all (?!.*--dry-run)/, by: 'test/e2e/bulk-replays.test.ts' },
  // It pauses for minutes between its two passes.
  {
    command: /^npm run admin -- customers delete (?!.*--dry-run)/,
    by: 'test/integration/delete-customer.test.ts',
  },
];

/** Every command of a program that its help lists, by its words. */
export function leavesOf(program: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  if (program.commands.length === 0) return [path];
  const shown = program.createHelp().visibleCommands(program);
  const listed = program.commands.filter((command) => shown.includes(command));
  return listed.flatMap((sub) => leavesOf(sub, [...path, sub.name()]));
}
