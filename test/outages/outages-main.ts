import { Command, Option } from 'commander';
import { type OutageName, outages } from './outages.ts';
import { playOutages } from './play-outages.ts';
import { play, printTable, run, wholeNumber } from './program.ts';

const names = outages.map(({ service }) => service);

/** Seconds of load before an outage: long enough that every kind of delivery is in progress. */
const margin = 6;

await run(
  new Command('npm run outages --')
    .description('Takes one service after the other away from the local stack under load.')
    .option('--seconds <number>', 'length of each outage', wholeNumber, 60)
    .addOption(new Option('--only <names...>', 'services to take away').choices(names).default(names, 'all'))
    .action(async ({ seconds, only }: { readonly seconds: number; readonly only: readonly OutageName[] }) => {
      const rows = [];
      for (const outage of outages.filter(({ service }) => only.includes(service))) {
        const again = `npm run outages -- --only ${outage.service} --seconds ${seconds}`;
        const ending = await play(again, (options) => playOutages([outage], { seconds, margin, ...options }));
        rows.push({
          outage: outage.service,
          seconds,
          ...ending.counts,
          'API 5xx': ending.apiFailures,
          'recovered after (s)': (ending.recoveredAfterMs / 1_000).toFixed(1),
        });
      }
      printTable(rows);
    }),
);
