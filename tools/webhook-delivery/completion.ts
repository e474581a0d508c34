import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { type Output, outputTo } from '../operator/cli/output.ts';

/** `webhook-delivery completion`: the shells look words up in a table of the program, so Tab starts no process. */
export function completionProgram(print: Output): Command {
  return new Command('completion')
    .description('Print the script with which a shell completes commands, options and their values.')
    .configureOutput(outputTo(print))
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Load it in the current shell, or write it to a file that ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish sources:
  source <(node_modules/.bin/webhook-delivery completion bash)
  source <(node_modules/.bin/webhook-delivery completion zsh)
  node_modules/.bin/webhook-delivery completion fish | source`,
    )
    .action(function (this: Command, shell: string) {
      const script = readFileSync(new URL(`shells/completion.${shell}`, import.meta.url), 'utf8');
      const quote = shell === 'fish' ? "\\'" : "'\\''";
      const table = rowsOf(this.parent ?? this).map((row) => `\n${row.replaceAll("'", quote)}`);
      print(script.replace('@TABLE@', () => table.join('')));
    });
}

/** `place|word|description` for each word that can follow the names of a command or an option that takes a value. */
function rowsOf(command: Command, above = ''): readonly string[] {
  const help = command.createHelp();
  const place = `${above} ${command.name()}`;
  const [commands, options] = [help.visibleCommands(command), help.visibleOptions(command)];
  return [
    ...commands.map((sub) => `${place}|${sub.name()}|${sub.summary() || sub.description()}`),
    ...command.registeredArguments.flatMap((one) => valueRows(place, one.name(), one.argChoices)),
    ...options.map(({ long, description }) => `${place}|${long}|${description}`),
    ...options
      .filter(({ required }) => required)
      .flatMap(({ long, flags, argChoices }) => valueRows(`${place} ${long}`, flags, argChoices)),
    ...commands.flatMap((sub) => rowsOf(sub, place)),
  ];
}

/** Words that a value can be; `<file>` stands for names of files. @param form names the value */
function valueRows(place: string, form: string, choices: readonly string[] | undefined): readonly string[] {
  const anything = /\b(file|path|directory)\b/.test(form) ? '<file>' : '';
  return (choices ?? [anything]).map((word) => `${place}|${word}|`);
}
