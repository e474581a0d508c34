import { Command } from 'commander';
import { runProgram } from '../../tools/operator/cli/run-program.ts';
import { printTable, wholeNumber } from '../outages/program.ts';
import { minute } from '../support/values/builders.ts';
import { bursts, playBurst } from './bursts.ts';
import { describeFailure, type Totals } from './simulate.ts';
import { simulateInThreads } from './simulate-in-threads.ts';

/** Runs the service against faults; exit code 1 when a promise is broken. */
const startedAt = performance.now();
let shown = 0;

await runProgram(
  new Command('npm run simulate --')
    .description('Runs the service in virtual time, with crashes, faults and receivers of every kind.')
    .option('--runs <number>', 'number of runs', wholeNumber, 20_000)
    .option('--seed <number>', 'first seed; the same seed gives the same runs', wholeNumber, 1)
    .option('--bursts', 'play bursts at slow receivers instead, and print the results')
    .action((options: Options) => (options.bursts === true ? showBursts(options.seed) : run(options))),
);

type Options = { readonly runs: number; readonly seed: number; readonly bursts?: true };

async function showBursts(seed: number): Promise<void> {
  const rows = [];
  for (const burst of bursts) {
    const { delivered, atOnce, worked, lastMs } = await playBurst({ ...burst, seed });
    rows.push({
      events: burst.events,
      'ms each': burst.answersIn,
      'outage, min': (burst.outageMs ?? 0) / minute,
      delivered,
      'with attempt 1': atOnce,
      'requests an event': (worked / burst.events).toFixed(2),
      'last, s': Math.round(lastMs / 1000),
    });
  }
  printTable(rows);
}

async function run({ runs, seed }: Options): Promise<void> {
  const { totals, failure } = await simulateInThreads(runs, seed, (played) => showProgress(played, runs));
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  printTotals(totals, seed);
  if (failure === null) return;
  console.error(describeFailure(failure));
  process.exitCode = 1;
}

function showProgress({ runs: played }: Totals, runs: number): void {
  const line = `${played} of ${runs} runs, ${rate(played)} a second`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (played - shown >= 50_000) {
    shown = played;
    process.stderr.write(`${line}\n`);
  }
}

function rate(played: number): number {
  return Math.round(played / ((performance.now() - startedAt) / 1000));
}

function printTotals({ runs, counts }: Totals, seed: number): void {
  const faults = [...counts].filter(([name]) => name.startsWith('fault: ')).toSorted();
  const others = [...counts].filter(([name]) => !name.startsWith('fault: '));
  const rows = [
    ['seed', seed] as const,
    ['runs', runs] as const,
    ['runs a second', rate(runs)] as const,
    ...others,
    ...faults,
  ];
  printTable(rows.map(([what, count]) => ({ what, count })));
}
