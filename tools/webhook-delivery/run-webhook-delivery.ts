import { Command } from 'commander';
import { outliveOutput } from '../local/stack/when-to-stop.ts';
import { outputTo } from '../operator/cli/output.ts';
import { runProgram } from '../operator/cli/run-program.ts';
import { type Entry, entries, type Loaded } from './commands.ts';

/** The program `webhook-delivery` with these commands; those that are not loaded have their names only. */
function wholeProgram(loaded: ReadonlyMap<Entry, Loaded>): Command {
  const program = new Command('webhook-delivery')
    .description('The webhook delivery service: run it, send events, receive them, and operate it.')
    .configureOutput(outputTo((text) => process.stdout.write(text)))
    .addHelpText('after', '\nwebhook-delivery <command> --help describes a command.');
  for (const entry of entries) {
    const command = loaded.get(entry)?.command ?? new Command();
    program.addCommand(command.name(entry.name).summary(entry.summary));
  }
  return program;
}

/** Runs `webhook-delivery`. Sets the exit code. @param args without the name of the program */
export async function runWebhookDelivery(args: readonly string[]): Promise<void> {
  outliveOutput();
  const loaded = new Map<Entry, Loaded>();
  for (const entry of neededFor(args)) loaded.set(entry, await entry.load());
  const main = [...loaded].find(([{ name }]) => name === args[0])?.[1];
  await runProgram(wholeProgram(loaded), { ...main?.options, args });
  if (main?.endsProcess === true) process.exit();
}

/** The list of commands needs none of them, `webhook-delivery help listen` that one, and a script for completion all. */
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
  if (entry === undefined) throw new Error(`webhook-delivery has no command ${name}`);
  const { command, options, endsProcess } = await entry.load();
  await runProgram(command.name(typed), options);
  if (endsProcess === true) process.exit();
}
