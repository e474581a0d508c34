import type { Command } from 'commander';
import type { RunOptions } from '../operator/cli/run-program.ts';

/** A command with what it takes to run it as a process. */
export type Loaded = {
  readonly command: Command;
  readonly options?: RunOptions;
  /** Ends the process once the command has ended, whatever still runs in it. */
  readonly endsProcess?: true;
};

export type Entry = {
  readonly name: string;
  /** The line of the list of commands. */
  readonly summary: string;
  /** Imports the modules of the command, which takes up to a second: only for the one that runs. */
  readonly load: () => Promise<Loaded>;
};

const print = (text: string): void => void process.stdout.write(text);
const note = (text: string): void => void process.stderr.write(text);

/** The commands of `webhook-delivery`. The npm scripts of the same names run them too. */
export const entries: readonly Entry[] = [
  {
    name: 'start',
    summary: 'run the whole service on this machine',
    load: async () => {
      const { startProgram } = await import('../local/stack/command-line.ts');
      return { command: startProgram() };
    },
  },
  {
    name: 'listen',
    summary: 'receive, verify and forward deliveries on this machine',
    load: async () => {
      const { explainListen, listenProgram } = await import('../local/listen/command-line.ts');
      return { command: listenProgram(findStage), options: { explain: explainListen } };
    },
  },
  {
    name: 'verify',
    summary: 'say whether the signature of a delivery verifies',
    load: async () => {
      const { verifyDeps, verifyProgram } = await import('../local/verify/verify-program.ts');
      return { command: verifyProgram(verifyDeps(print)) };
    },
  },
  {
    name: 'emit',
    summary: 'send a message as the Run engine does, which makes an event',
    load: async () => {
      const { emitProgram } = await import('../operator/emit/emit-program.ts');
      return { command: emitProgram(print) };
    },
  },
  {
    name: 'admin',
    summary: 'manage customers, keys, endpoints, deliveries and replays',
    load: async () => {
      const { adminProgram } = await import('../operator/cli/admin-program.ts');
      return { command: adminProgram(print) };
    },
  },
  { name: 'smoke', summary: 'show that a stage works', load: loadSmoke },
  {
    name: 'completion',
    summary: 'print the script with which bash, zsh or fish completes commands',
    load: async () => {
      const { completionProgram } = await import('./completion.ts');
      return { command: completionProgram(print) };
    },
  },
];

/** Loads the AWS SDK only if it is needed. */
const findStage = async (stage: string): Promise<string> =>
  (await import('#shared/aws/deployed-stage.ts')).findStageApi(stage);

async function loadSmoke(): Promise<Loaded> {
  const { smokeProgram } = await import('../smoke/smoke-program.ts');
  const { onStop } = await import('../local/stack/when-to-stop.ts');
  const stopping = new AbortController();
  onStop(
    () => {
      note('Stopping: removing the test customers first\n');
      stopping.abort();
    },
    { script: 'bin/smoke.ts' },
  );
  return { command: smokeProgram({ print, note, signal: stopping.signal }), endsProcess: true };
}
