import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect } from 'vitest';
import * as z from 'zod';
import { adminProgram } from '../../../tools/operator/cli/admin-program.ts';
import { runProgram } from '../../../tools/operator/cli/run-program.ts';
import { useFolder } from '../vitest/temporary-folder.ts';
import type { StackCustomer } from './stack-customer.ts';

export type Outcome = { readonly code: number | null; readonly output: string };

export const withId = z.looseObject({ id: z.string() });
export const withToken = z.object({ access_token: z.string() });
export const withKey = z.object({ id: z.string(), api_key: z.string() });
export const withLink = z.object({ id: z.string(), url: z.string() });

/** Runs the operator's command line within this process: a hundred times faster than in another. */
export async function runAdmin(...args: readonly string[]): Promise<Outcome> {
  return await runCommand(adminProgram, args);
}

/** @returns the JSON that a command of the operator prints, which must succeed */
export async function adminJson(stackFile: string, ...args: readonly string[]): Promise<unknown> {
  const { code, output } = await runAdmin(...args, '--json', '--stack-file', stackFile);
  expect([code, output]).toEqual([0, expect.stringMatching(/^[{[].*[}\]]\n$/)]);
  return JSON.parse(output);
}

/**
 * Runs a command-line program within this process, as its file in `bin/` does.
 *
 * @returns what it prints, or the one line on standard error
 */
export async function runCommand(
  makeProgram: (print: (text: string) => void) => Command,
  args: readonly string[],
): Promise<Outcome> {
  let output = '';
  let error = '';
  const program = makeProgram((text) => {
    output += text;
  });
  const printError = (text: string) => {
    error += text;
  };
  await runProgram(program, { args, printError });
  return { code: takeExitCode(), output: error === '' ? output : error.trimEnd() };
}

/** The program sets the exit code of this process, which continues. */
function takeExitCode(): number {
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return code;
}

/** The operator of a running stack. */
export function useOperator() {
  const dir = useFolder();
  const stackFile = async ({ stack }: Pick<StackCustomer, 'stack'>): Promise<string> => {
    // A file for each call: concurrent tests would read what another one is writing.
    const file = join(dir(), `${randomUUID()}.json`);
    await writeFile(file, JSON.stringify(stack));
    return file;
  };
  return {
    dir,
    stackFile,
    /** Runs a command on the customer's stack. @returns the JSON it prints */
    operate: async (customer: StackCustomer, ...args: readonly string[]) =>
      adminJson(await stackFile(customer), ...args),
  };
}
