import { Command, InvalidArgumentError, Option } from 'commander';
import { textTable } from '../../operator/text-table.ts';
import { type Outage, outages } from './outages.ts';
import { type OutageResult, playOutages } from './play-outages.ts';

type Flags = { readonly seconds: number; readonly only: readonly Outage[] };
type Output = { readonly print: (text: string) => void; readonly setExitCode: (code: number) => void };

/** Seconds of load before an outage: long enough that every kind of delivery is in progress. */
const margin = 6;
const patienceMs = 300_000;

/** Plays outages one after the other, each on a new stack; exit code 1 when a promise is broken. */
export function outageProgram({ print, setExitCode }: Output): Command {
  return new Command('npm run outages --')
    .description('Takes one service after the other away from the local stack under load.')
    .option('--seconds <number>', 'length of each outage', parseSeconds, 60)
    .addOption(
      new Option('--only <names>', `services to take away: ${names(outages)}`)
        .argParser(parseNames)
        .default(outages, 'all'),
    )
    .action(async ({ seconds, only }: Flags) => {
      const rows: string[][] = [];
      for (const outage of only) {
        const startedAt = performance.now();
        const note = (line: string) => print(`${secondsSince(startedAt).padStart(6)} s  ${line}`);
        const parts = new AsyncDisposableStack();
        const result = await playOutages([outage], { seconds, margin, patienceMs, note, parts }).finally(() =>
          parts.disposeAsync(),
        );
        rows.push(toRow(outage, seconds, result));
        if (result.broken.length > 0) setExitCode(1);
        for (const line of explain(outage, seconds, result)) print(line);
      }
      print(`\n${textTable(head, rows).join('\n')}`);
    });
}

const head = [
  'outage',
  'seconds',
  'events',
  'deliveries',
  'POSTs',
  'most POSTs of one delivery',
  'delivered',
  'failed',
  'API 5xx',
  'recovered after (s)',
  'audit',
];

function toRow({ service }: Outage, seconds: number, result: OutageResult): string[] {
  const { events, deliveries, posts, mostPosts, delivered, failed } = result.counts;
  const recovered = (result.recoveredAfterMs / 1_000).toFixed(1);
  const audit = result.auditIsClean ? 'clean' : 'not clean';
  const counts = [events, deliveries, posts, mostPosts, delivered, failed, result.apiFailures].map(String);
  return [service, String(seconds), ...counts, recovered, audit];
}

function explain(
  { service }: Outage,
  seconds: number,
  { broken, workplace }: OutageResult,
): readonly string[] {
  if (broken.length === 0) return [];
  return [
    `${broken.length} promises broken:`,
    ...broken.map((line) => `  ${line}`),
    `Log: ${workplace.dir}/stack.log`,
    `Inspect the data: npm start -- --data ${workplace.dir}/data`,
    `Repeat the outage: npm run outages -- --only ${service} --seconds ${seconds}`,
  ];
}

const names = (some: readonly Outage[]): string => some.map(({ service }) => service).join(',');

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1_000).toFixed(1);

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 600) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds, 600 at most');
}

function parseNames(text: string): readonly Outage[] {
  return text.split(',').map((name) => {
    const found = outages.find(({ service }) => service === name);
    if (found === undefined) throw new InvalidArgumentError(`Expected some of ${names(outages)}`);
    return found;
  });
}
