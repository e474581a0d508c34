import { resolve } from 'node:path';
import type { BenchContext, Benchmark, BenchResult } from '../bench.ts';
import { startParties } from '../support/parties.ts';
import { verifyDelivered } from '../support/verify-delivered.ts';
import type { Floor } from './floor-figures.ts';
import { type MeasureFloor, prepareFloor } from './measure-floor.ts';
import { readPage } from './read-page.ts';
import { resultOf } from './result.ts';
import { playBurst, playSteady, warmUp } from './rounds.ts';
import { type Subject, startSubject } from './subject.ts';

const roundCount = 3;

export const pipeline: Benchmark = {
  name: 'pipeline',
  description: 'deliveries per second, time from event to POST, CPU time; two minutes, four with --against',
  isShort: true,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal, options } = context;
  await using parts = new AsyncDisposableStack();
  const parties = parts.use(await startParties(signal));
  say('Starting the local stack');
  const folders = options.against === null ? [null] : [null, resolve(options.against)];
  const subjects: Subject[] = [];
  for (const folder of folders) subjects.push(await startSubject(parts, parties, context, folder));
  const [current, other = null] = subjects;
  if (current === undefined) throw new Error('Cannot measure: no build was started');
  const measureFloor = await prepareFloor(current.bench, parties);
  say('Warming up');
  for (const subject of subjects) await warmUp(subject);

  const floors = await playRounds(context, subjects, measureFloor);
  return resultOf({
    current: current.measured,
    other: other?.measured ?? null,
    floors,
    verified: await verifyDelivered(
      context,
      parties,
      subjects.flatMap(({ played }) => played),
      secretsOf(subjects),
    ),
  });
}

/** Plays every part of a round with one build after the other, so that a busy machine does not favour one. */
async function playRounds(
  { say, signal }: BenchContext,
  subjects: readonly Subject[],
  measureFloor: MeasureFloor,
): Promise<readonly Floor[]> {
  const floors: Floor[] = [];
  for (let round = 1; round <= roundCount; round += 1) {
    signal.throwIfAborted();
    say(`Round ${round} of ${roundCount}`);
    floors.push(await measureFloor(signal));
    for (const subject of subjects) subject.measured.oneEndpoint.push(await playBurst(subject, 1));
    for (const subject of subjects) {
      subject.measured.tenEndpoints.push(await playBurst(subject, subject.endpoints.length));
    }
    for (const subject of subjects) subject.measured.steady.push(await playSteady(subject));
    for (const subject of subjects) subject.measured.pages.push(await readPage(subject));
  }
  return floors;
}

function secretsOf(subjects: readonly Subject[]): ReadonlyMap<string, string> {
  return new Map(
    subjects.flatMap(({ endpoints }) => endpoints.map(({ endpoint, secret }) => [endpoint, secret])),
  );
}
