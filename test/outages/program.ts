import { InvalidArgumentError } from 'commander';
import { messageOf, runProgram } from '../../tools/operator/cli/run-program.ts';
import { textTable } from '../../tools/operator/cli/text-table.ts';
import type { Ending, PlayOptions } from './ending.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs the program of this process; exit code 1 when a promise is broken. */
export const run = (program: Parameters<typeof runProgram>[0]): Promise<void> =>
  runProgram(program, { explain: messageOf });

/** Plays once, and says which promises are broken. @param again the command that repeats the play */
export async function play<E extends Ending>(
  again: string,
  playWith: (options: PlayOptions) => Promise<E>,
): Promise<E> {
  const startedAt = performance.now();
  const note = (line: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    print(`${seconds.padStart(6)} s  ${line}`);
  };
  const parts = new AsyncDisposableStack();
  // A stack in a separate process group is out of the reach of Ctrl-C.
  process.once('SIGINT', () => void parts.disposeAsync().finally(() => process.exit(130)));
  const ending = await playWith({ note, parts }).finally(() => parts.disposeAsync());
  const { broken, workplace } = ending;
  if (broken.length === 0) return ending;
  process.exitCode = 1;
  print(`${broken.length} promises broken:`);
  for (const line of broken) print(`  ${line}`);
  print(`Kept with its log: ${workplace.dir}`);
  print(`Inspect the data: npm start -- --data ${workplace.dir}/data`);
  print(`Repeat it: ${again}`);
  return ending;
}

export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const cells = rows.map((row) => Object.values(row).map(String));
  print(`\n${textTable(Object.keys(rows[0] ?? {}), cells).join('\n')}`);
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number');
}
