import { type Command, Option } from 'commander';
import { stackFileOption } from './local-stack-file.ts';
import { type Output, type OutputOptions, show } from './output.ts';
import { nextCommand, openTarget, stageOption, type TargetOptions } from './target.ts';

/** The options of every command that acts on a stack and prints a result. */
export type Options = TargetOptions & OutputOptions;

/** Adds these options to a command. */
export function onTarget(command: Command): Command {
  return command
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the result as JSON'));
}

/** One invocation of a command: its options, and what commands do with them. */
export type Invocation<Own = object> = ReturnType<typeof invocationOf<Own>>;

function invocationOf<Own>(options: Options & Own, print: Output) {
  return {
    options,
    print,
    /** Finds the stage to act on. */
    open: () => openTarget(options),
    /** A command to run next, on the same stack. */
    next: (command: string) => nextCommand(options, command),
    /** Prints a result as one line of JSON, or as lines for a person. */
    show: (result: object, lines: readonly string[]) => show(print, options, result, lines),
  };
}

/** The action of a command. @param run gets the first argument of the command too, if it has one */
export function invoke<Own, Argument>(
  run: (invocation: Invocation<Own>, argument: Argument) => Promise<void>,
): (this: Command) => Promise<void> {
  return function () {
    const print: Output = (text) => this.configureOutput().writeOut?.(text);
    return run(invocationOf(this.opts<Options & Own>(), print), this.processedArgs[0]);
  };
}
