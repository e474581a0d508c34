import type { Command } from 'commander';
import { explainFailure } from './explain-failure.ts';

/** Runs a command-line program. On failure, prints one line with the next step and sets exit code 1. */
export async function runProgram(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    process.exitCode = 1;
  }
}
