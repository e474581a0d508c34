import { writeFile } from 'node:fs/promises';
import { Argument, Command } from 'commander';
import type { Benchmark, BenchOptions, BenchResult } from './bench.ts';
import { benchmarks } from './benchmarks.ts';
import { describeMachine, readResults, saveResults } from './page/results.ts';
import { writePage } from './page/write-page.ts';
import { resultText } from './result-text.ts';

export type Terminal = {
  readonly out: (text: string) => void;
  /** Progress output, separate from the result. */
  readonly note: (text: string) => void;
};

type Flags = {
  readonly large: boolean;
  readonly against?: string;
  readonly json?: string;
  readonly save: boolean;
  readonly page: boolean;
};

/** Exit code of a command ended by Ctrl-C. */
const interrupted = 130;

/** `npm run bench -- …`. Without a name, runs every short benchmark. */
export function benchProgram(terminal: Terminal): Command {
  const names = benchmarks.map(({ name }) => name);
  return new Command('npm run bench --')
    .description(
      'Measure the service on this machine. Compare ratios within one run, not times between machines.',
    )
    .addArgument(new Argument('[names...]', 'benchmarks to run; default: all but growth').choices(names))
    .option('--large', 'growth: also with a million stored deliveries and Runs', false)
    .option(
      '--against <folder>',
      'pipeline, cold-start: also measure the bundles of another build, in turn with these',
    )
    .option('--json <file>', 'also write the results to a file')
    .option('--save', 'also save the results, and write docs/performance.md from all saved ones', false)
    .option('--page', 'only write docs/performance.md from the saved results', false)
    .addHelpText('after', () => ['', 'Benchmarks:', ...benchmarks.map(helpLine)].join('\n'))
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.note })
    .action((chosen: readonly string[], flags: Flags) =>
      flags.page ? writeSavedPage() : runChosen(chosen, flags, terminal),
    );
}

async function writeSavedPage(): Promise<void> {
  await writePage(await readResults());
}

async function runChosen(chosen: readonly string[], flags: Flags, terminal: Terminal): Promise<void> {
  const wanted = benchmarks.filter(({ name, isShort }) =>
    chosen.length === 0 ? isShort : chosen.includes(name),
  );
  const options = { large: flags.large, against: flags.against ?? null };
  const machine = describeMachine();
  const results = await runAll(wanted, options, terminal);
  if (flags.json !== undefined) await writeFile(flags.json, `${JSON.stringify(results, null, 2)}\n`);
  if (!flags.save) return;
  const date = new Date().toISOString().slice(0, 10);
  await writePage(await saveResults(results, { date, machine }));
}

function helpLine({ name, description }: Benchmark): string {
  return `  ${name.padEnd(12)} ${description}`;
}

async function runAll(
  wanted: readonly Benchmark[],
  options: BenchOptions,
  { out, note }: Terminal,
): Promise<Readonly<Record<string, BenchResult>>> {
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
  const stop = new AbortController();
  const onInterrupt = () => stop.abort(new Error('Interrupted'));
  process.once('SIGINT', onInterrupt);
  const results: Record<string, BenchResult> = {};
  try {
    for (const { name, run } of wanted) {
      const say = (line: string) => note(`${seconds()} s  ${name}: ${line}\n`);
      results[name] = await run({ say, signal: stop.signal, options });
      out(`\n${resultText(results[name])}\n`);
      stop.signal.throwIfAborted();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = interrupted;
  } finally {
    process.off('SIGINT', onInterrupt);
  }
  return results;
}
