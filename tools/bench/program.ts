import { Argument, Command } from 'commander';
import { wholeNumber } from '../operator/cli/option-parsers.ts';
import type { Benchmark, BenchOptions } from './bench.ts';
import { bill } from './bill/bill.ts';
import { bursts } from './burst/burst.ts';
import { coldStart } from './cold-start/cold-start.ts';
import { endurance } from './endurance/endurance.ts';
import { neighbour } from './neighbour/neighbour.ts';
import { pipeline } from './pipeline/pipeline.ts';
import { isHeld, resultText } from './result-text.ts';
import { trace } from './trace/trace.ts';

/** Every benchmark, in the order in which `npm run bench` runs the short ones. */
const benchmarks: readonly Benchmark[] = [pipeline, trace, bill, neighbour, bursts, coldStart, endurance];

/** Exit code of a command ended by Ctrl-C. */
const interrupted = 130;

/** `npm run bench -- …`. Without a name, runs every short benchmark. */
export function benchProgram(): Command {
  const names = benchmarks.map(({ name }) => name);
  const lines = benchmarks.map(({ name, description }) => `  ${name.padEnd(12)} ${description}`);
  return new Command('npm run bench --')
    .description(
      'Measure the service on this machine, and fail when it is over budget. Compare ratios within one run, not times ' +
        'between machines.',
    )
    .addArgument(new Argument('[names...]', 'benchmarks to run; default: all but endurance').choices(names))
    .option('--against <folder>', 'pipeline: also measure the bundles of another build, in turn with these')
    .option(
      '--rounds <number>',
      'pipeline, cold-start, endurance: repetitions; few only show that it runs',
      wholeNumber(1, 9_999),
    )
    .addHelpText('after', ['', 'Benchmarks:', ...lines].join('\n'))
    .action(runChosen);
}

/** Prints the results on standard output, and the progress on standard error. */
async function runChosen(chosen: readonly string[], options: BenchOptions): Promise<void> {
  const wanted = benchmarks.filter(({ name, isShort }) => (chosen.length === 0 ? isShort : chosen.includes(name)));
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
  const stop = new AbortController();
  const onInterrupt = () => stop.abort(new Error('Interrupted'));
  process.once('SIGINT', onInterrupt);
  try {
    for (const { name, run } of wanted) {
      const say = (line: string) => process.stderr.write(`${seconds()} s  ${name}: ${line}\n`);
      const result = await run({ say, signal: stop.signal, options });
      process.stdout.write(`\n${resultText(result)}\n`);
      if (!result.budgets.every(isHeld)) process.exitCode = 1;
      stop.signal.throwIfAborted();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = interrupted;
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}
