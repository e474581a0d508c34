import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { textTable } from '../../operator/text-table.ts';
import { type CrashResult, playCrashes } from './play-crashes.ts';

type Flags = { readonly kills: number; readonly seed: number };
type Output = { readonly print: (text: string) => void; readonly setExitCode: (code: number) => void };

/** Many events wait after many kills, and the machine may be busy. */
const patienceMs = 600_000;

/** Kills the local stack under load; exit code 1 when a promise is broken. */
export function crashProgram({ print, setExitCode }: Output): Command {
  return new Command('npm run crashes --')
    .description('Kills the local stack at random moments under load, and restarts it.')
    .option('--kills <number>', 'how often', wholeNumber, 50)
    .option('--seed <number>', 'determines the moments of the kills; random by default', wholeNumber)
    .action(async ({ kills, seed = randomInt(1_000_000) }: Partial<Flags> & Pick<Flags, 'kills'>) => {
      const startedAt = performance.now();
      const note = (line: string) => {
        print(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
      };
      note(`seed ${seed}`);
      const parts = new AsyncDisposableStack();
      // The stack is in a separate process group, which Ctrl-C does not reach.
      process.once('SIGINT', () => void parts.disposeAsync().finally(() => process.exit(130)));
      const result = await playCrashes({ kills, seed, patienceMs, note, parts }).finally(() =>
        parts.disposeAsync(),
      );
      if (result.broken.length > 0) setExitCode(1);
      for (const line of explain({ kills, seed }, result)) print(line);
      print(`\n${textTable(['what', 'count'], toRows({ kills, seed }, result)).join('\n')}`);
    });
}

function toRows({ kills, seed }: Flags, { counts, starts, auditIsClean }: CrashResult): string[][] {
  return [
    ['seed', String(seed)],
    ['kills', String(kills)],
    ['starts', String(starts)],
    ['events accepted', String(counts.events)],
    ['deliveries', String(counts.deliveries)],
    ['POSTs', String(counts.posts)],
    ['interrupted attempts', String(counts.interrupted)],
    ['most POSTs of one delivery', String(counts.mostPosts)],
    ['delivered', String(counts.delivered)],
    ['failed', String(counts.failed)],
    ['audit', auditIsClean ? 'clean' : 'not clean'],
  ];
}

function explain({ kills, seed }: Flags, { broken, workplace }: CrashResult): readonly string[] {
  if (broken.length === 0) return [];
  return [
    `${broken.length} promises broken:`,
    ...broken.map((line) => `  ${line}`),
    `Inspect the data: npm start -- --data ${workplace.dir}/data`,
    `Kill at the same moments: npm run crashes -- --kills ${kills} --seed ${seed}`,
  ];
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number');
}
