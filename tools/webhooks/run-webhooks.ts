import { Command } from 'commander';
import { outliveOutput } from '../local/stack/when-to-stop.ts';
import { outputTo } from '../operator/cli/output.ts';
import { runProgram } from '../operator/cli/run-program.ts';
import { type Entry, entries, type Loaded } from './commands.ts';

/** The program `webhooks` with these commands; those that are not loaded have their names only. */
function webhooksProgram(loaded: ReadonlyMap<Entry, Loaded>): Command {
  const program = new Command('webhooks')
    .description('The webhook delivery service: run it, send events, receive them, and operate it.')
    .configureOutput(outputTo((text) => process.stdout.write(text)))
    .addHelpText('after', '\nwebhooks <command> --help describes a command.');
  for (const entry of entries) {
    const command = loaded.get(entry)?.command ?? new Command();
    program.addCommand(command.name(entry.name).summary(entry.summary));
  }
  return program;
}

/** Runs `webhooks`. Sets the exit code. @param args without the name of the program */
export async function runWebhooks(args: readonly string[]): Promise<void> {
  outliveOutput();
  const loaded = new Map<Entry, Loaded>();
  for (const entry of neededFor(args)) loaded.set(entry, await entry.load());
  const main = [...loaded].find(([{ name }]) => name === args[0])?.[1];
  await runProgram(webhooksProgram(loaded), { ...main?.options, args });
  if (main?.endsProcess === true) process.exit();
}

/** The list of commands needs none of them, `webhooks help listen` that one, and a script for completion all. */
function neededFor([name, topic]: readonly string[]): readonly Entry[] {
  if (name === 'completion') return entries;
  return entries.filter((entry) => entry.name === (name === 'help' ? topic : name));
}

/**
 * Runs one command as a script of npm. Sets the exit code.
 *
 * @param typed the script as a person types it, such as `npm run listen --`
 */
export async function runScript(typed: string, name: string): Promise<void> {
  outliveOutput();
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new Error(`webhooks has no command ${name}`);
  const { command, options, endsProcess } = await entry.load();
  await runProgram(command.name(typed), options);
  if (endsProcess === true) process.exit();
}
