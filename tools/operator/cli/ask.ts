import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';
import type { OutputOptions } from './output.ts';
import { UsageError } from './usage-error.ts';

/** The options of a command that asks before it does what cannot be undone. */
export type AskOptions = OutputOptions & { readonly yes?: true };

/** The options of such a command that shows a plan first. */
export type PlanOptions = AskOptions & { readonly dryRun?: true };

export const yesOption = () => new Option('--yes', 'do not ask');

/**
 * Checked first: a script must not wait for a plan that it cannot confirm.
 *
 * @param instead what the command can do without being confirmed
 * @throws UsageError when the command would have to ask, and no person can answer
 */
export function assertConfirmable(
  { dryRun, yes, json }: PlanOptions,
  instead = ', or --dry-run to see the plan only',
): void {
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (dryRun === true || yes === true || (json !== true && isInteractive)) return;
  throw new UsageError(`Not an interactive terminal: add --yes to confirm${instead}`);
}

/** Asks before a command does what cannot be undone. @throws UsageError when nobody can answer; Error for a no */
export async function confirm(options: AskOptions, question: string): Promise<void> {
  assertConfirmable(options, '');
  if (options.yes !== true && !(await ask(question))) throw new Error('Nothing was changed');
}

/** Asks a question on the terminal. @returns whether the answer is yes; Ctrl-C and every other answer are a no */
async function ask(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await answerTo(`${question} [y/N] `).catch(() => ''));
}

/** @throws Error for Ctrl-C */
export async function answerTo(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return (await terminal.question(question).finally(() => terminal.close())).trim();
}
