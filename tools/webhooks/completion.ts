import { Argument, Command } from 'commander';
import { type Output, outputTo } from '../operator/cli/output.ts';
import { type Row, shellNames, shellScript } from './shell-scripts.ts';

/** `webhooks completion`: the shells complete what the program has, so there is no second list of it. */
export function completionProgram(print: Output): Command {
  return new Command('completion')
    .description('Print the script with which a shell completes commands, options and their values.')
    .configureOutput(outputTo(print))
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(shellNames))
    .addHelpText(
      'after',
      `
Load it in the current shell:
  source <(npx webhooks completion bash)
  source <(npx webhooks completion zsh)
  npx webhooks completion fish | source

The same line in ~/.bashrc, in ~/.zshrc after compinit, or in ~/.config/fish/config.fish loads it in every new shell.
It completes webhooks, and npx webhooks where npx has no completion of its own.`,
    )
    .action(function (this: Command, shell: string) {
      print(shellScript(shell, rowsOf(this.parent ?? this)));
    });
}

/** Everything that can be typed below a command. */
function rowsOf(command: Command, above = ''): readonly Row[] {
  const help = command.createHelp();
  const place = `${above} ${command.name()}`;
  const [commands, options] = [help.visibleCommands(command), help.visibleOptions(command)];
  return [
    ...commands.map((sub) => ({ place, word: sub.name(), about: sub.summary() || sub.description() })),
    ...command.registeredArguments.flatMap((argument) =>
      valueRows(place, argument.argChoices, argument.name()),
    ),
    ...options.map(({ long, short, description }) => ({
      place,
      word: long ?? short ?? '',
      about: description,
    })),
    ...options
      .filter(({ required }) => required)
      .flatMap(({ long, argChoices, flags }) => valueRows(`${place} ${long}`, argChoices, flags)),
    ...commands.flatMap((sub) => rowsOf(sub, place)),
  ];
}

/** @param shape the name of the value, which says whether it is one of a file */
function valueRows(place: string, choices: readonly string[] | undefined, shape: string): readonly Row[] {
  const anything = /\b(file|path|directory)\b/.test(shape) ? '<file>' : '';
  return (choices ?? [anything]).map((word) => ({ place, word, about: '' }));
}
