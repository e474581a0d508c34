import { createInterface } from 'node:readline/promises';
import type { OutputOptions } from './output.ts';
import { UsageError } from './usage-error.ts';

/** The options of a command that shows a plan and asks before it acts. */
export type PlanOptions = OutputOptions & { readonly dryRun?: true; readonly yes?: true };

/**
 * Checked first: a script must not wait for a plan that it cannot confirm.
 *
 * @throws UsageError when the command would have to ask, and no person can answer
 */
export function assertConfirmable({ dryRun, yes, json }: PlanOptions): void {
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (dryRun === true || yes === true || (json !== true && isInteractive)) return;
  throw new UsageError(
    'Not an interactive terminal: add --yes to confirm, or --dry-run to see the plan only',
  );
}

/** Asks a question on the terminal. @returns whether the answer is yes; Ctrl-C and every other answer are a no */
export async function ask(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await answerTo(`${question} [y/N] `).catch(() => ''));
}

/** @throws Error for Ctrl-C */
export async function answerTo(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return (await terminal.question(question).finally(() => terminal.close())).trim();
}
