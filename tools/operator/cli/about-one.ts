import { type Command, Option } from 'commander';
import { UsageError } from './usage-error.ts';

/**
 * What a command is about is its argument, whatever the command. Earlier releases took an option instead, which still
 * works and which help does not show.
 *
 * @param earlier names of that option
 */
export function aboutOne(command: Command, description: string, ...earlier: readonly string[]): Command {
  for (const name of earlier) {
    command.addOption(new Option(`--${name} <id>`, 'earlier form of the argument').hideHelp());
  }
  return command
    .usage('[options] <id>')
    .argument('[id]', description)
    .hook('preAction', (asked) => {
      const options: Readonly<Record<string, unknown>> = asked.opts();
      const given = [asked.processedArgs[0], ...earlier.map((name) => options[name])];
      const [id, ...more] = given.filter((one) => one !== undefined);
      if (id === undefined) throw new UsageError(`Missing argument: give the ${description}`);
      if (more.length > 0) throw new UsageError(`Give the ${description} once, as the argument`);
      asked.processedArgs[0] = id;
    });
}
