import { createInterface } from 'node:readline/promises';

/** Whether a person can answer a question. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks a question on the terminal. @returns whether the answer is yes; Ctrl-C and every other answer are a no */
export async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}
