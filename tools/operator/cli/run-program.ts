import { type Command, CommanderError } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { errorText } from './colour.ts';
import { explainFailure } from './explain-failure.ts';
import { errorsOnOneLine } from './output.ts';
import { UsageError } from './usage-error.ts';

/** Exit code of a wrong command line, as in shells. */
const usageExitCode = 2;

export type RunOptions = {
  /** Default: the command line of this process. */
  readonly args?: readonly string[];
  /** Exit code of a failure that is not the user's. Default 1. */
  readonly failureCode?: number;
  /** Where errors go. Default: standard error. */
  readonly printError?: (text: string) => void;
  /** The text for a failure. Default: one line with the next step. */
  readonly explain?: (error: unknown) => string;
};

/**
 * Runs a command-line program: all programs have `--version`, report a wrong command line on one line with exit code 2,
 * and any other failure with exit code 1. A program can set another exit code itself.
 */
export async function runProgram(program: Command, options: RunOptions = {}): Promise<void> {
  const { args = process.argv.slice(2), failureCode = 1, explain = explainFailure } = options;
  const { printError = (text) => process.stderr.write(text) } = options;
  prepare(program.version(manifest.version, '--version', 'print the version'), printError);
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the help, the version or the error.
      process.exitCode = error.exitCode === 0 ? 0 : usageExitCode;
      return;
    }
    printError(`${errorText(explain(error))}\n`);
    process.exitCode = error instanceof UsageError ? usageExitCode : failureCode;
  }
}

/** Makes a program and its commands throw instead of exiting, which would cut off output that is being written. */
function prepare(command: Command, printError: (text: string) => void): void {
  command.exitOverride().configureOutput({ ...errorsOnOneLine, writeErr: printError });
  requireOptionsLast(command);
  for (const sub of command.commands) prepare(sub, printError);
}

/** Looks for required options once all others are known: a typo of one is then reported as that, not as its absence. */
function requireOptionsLast(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.makeOptionMandatory(false);
  command.hook('preAction', () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing !== undefined) command.error(`error: required option '${missing.flags}' not specified`);
  });
}

/** The message of an error as it is, for programs whose errors have several lines. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same, followed by the messages of its causes. */
export function messageWithCauses(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(error) + (cause === undefined ? '' : `: ${messageWithCauses(cause)}`);
}
