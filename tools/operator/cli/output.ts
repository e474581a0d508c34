import type { Command, OutputConfiguration } from 'commander';
import { errorText } from './colour.ts';

/** Where a command writes its result. */
export type Output = (text: string) => void;

export type OutputOptions = { readonly json?: true };

/** Commander output settings: an argument error is one line on standard error. */
export const errorsOnOneLine: OutputConfiguration = {
  outputError: (text, write) =>
    write(`${errorText(`${text.trim().replaceAll('\n', ' ').replace(/\.$/, '')}; use --help for usage`)}\n`),
};

/** Commander output settings: results go to `print`. */
export function outputTo(print: Output): OutputConfiguration {
  return { writeOut: print, ...errorsOnOneLine };
}

/** Prints a result as one line of JSON, or as lines for a person. */
export function show(print: Output, options: OutputOptions, result: object, lines: readonly string[]): void {
  print(`${options.json === true ? JSON.stringify(result) : lines.join('\n')}\n`);
}

/** One of the npm scripts as the user types it: as that, or as a command of the program whose launcher started it. */
export function typedScript(name: string): string {
  const isLaunched = process.env.WEBHOOKS_LAUNCHER === String(process.ppid);
  return isLaunched ? `node_modules/.bin/webhook-delivery ${name}` : `npm run ${name} --`;
}

/** A command as a person types it: with the names of those above it. */
export function typedName(command: Command): string {
  return command.parent === null ? command.name() : `${typedName(command.parent)} ${command.name()}`;
}
