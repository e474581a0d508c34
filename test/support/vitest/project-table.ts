import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { textTable } from '../../../tools/operator/cli/text-table.ts';
import { cpuSeconds } from './cpu-time.ts';

/**
 * Prints how many files and tests each project ran, their seconds, and the CPU seconds that they used. Files run side
 * by side, so the seconds add up to more than the run took; the slowest file is the least that it can take. Then, for
 * each thing that this machine lacks, prints one line for all tests that were skipped for it. The total at the exit
 * adds what no file uses alone: Vitest, the shared stack, and processes that end late.
 */
export class ProjectTable implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const byProject = Map.groupBy(modules, ({ project }) => project.name);
    const rows = [...byProject].map(([name, members]) => toRow(name, members));
    const lines = textTable(['project', 'files', 'tests', 'seconds', 'cpu', 'slowest file'], rows);
    this.#vitest?.logger.log(`\n${[...lines, ...skippedLines(modules)].join('\n')}\n`);
    process.once('exit', () => process.stdout.write(`CPU seconds in all: ${cpuSeconds().toFixed(0)}\n`));
  }
}

function skippedLines(modules: readonly TestModule[]): string[] {
  const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
  const notes = skipped.flatMap((test) => {
    const result = test.result();
    return result.state === 'skipped' && result.note !== undefined ? [result.note] : [];
  });
  const byNote = Map.groupBy(notes, (note) => note);
  return [...byNote].map(([note, { length }]) => `Skipped ${length} ${length === 1 ? 'test' : 'tests'}: ${note}`);
}

function toRow(name: string, modules: readonly TestModule[]): string[] {
  const [slowest] = modules.toSorted((one, other) => secondsOf(other) - secondsOf(one));
  const tests = modules.reduce((sum, { children }) => sum + [...children.allTests()].length, 0);
  const seconds = modules.reduce((sum, each) => sum + secondsOf(each), 0);
  const slowestText = slowest === undefined ? '' : `${slowest.relativeModuleId} ${secondsOf(slowest).toFixed(1)}`;
  const cpu = modules.reduce((sum, each) => sum + (each.meta().cpuSeconds ?? 0), 0);
  return [name, String(modules.length), String(tests), seconds.toFixed(1), cpu.toFixed(1), slowestText];
}

function secondsOf(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration) / 1_000;
}
