import { resolve } from 'node:path';
import type { BenchContext, Benchmark, BenchResult } from '../bench.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
import type { Verified } from '../support/verify-delivered.ts';
import { resultOf } from './result.ts';
import { playRound, type Round, type Subject, startSubject, warmUp } from './rounds.ts';

const defaultRounds = 3;

export const pipeline: Benchmark = {
  name: 'pipeline',
  description: 'deliveries per second, time from event to POST, CPU time; two minutes, four with --against',
  isShort: true,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal, options } = context;
  const roundCount = options.rounds ?? defaultRounds;
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  say('Starting the local stack');
  const folders = [bundleFolder, ...(options.against === null ? [] : [resolve(options.against)])];
  const subjects: Subject[] = [];
  for (const folder of folders) subjects.push(await startSubject(parts, context, folder));
  say('Warming up');
  for (const subject of subjects) await warmUp(subject);

  const rounds = new Map<Subject, readonly Round[]>();
  for (let round = 1; round <= roundCount; round += 1) {
    say(`Round ${round} of ${roundCount}`);
    // One build after the other, so that a busy machine does not favour one.
    for (const subject of subjects) {
      signal.throwIfAborted();
      rounds.set(subject, [...(rounds.get(subject) ?? []), await playRound(subject)]);
    }
  }
  const [current = [], other = []] = rounds.values();
  const verified: Verified[] = [];
  for (const { bench } of subjects) verified.push(await bench.verify());
  return resultOf({ current, other, verified });
}
