import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { playCrashes } from './play-crashes.ts';
import { play, printTable, run, wholeNumber } from './program.ts';

await run(
  new Command('npm run crashes --')
    .description('Kills the local stack at random moments under load, and restarts it.')
    .option('--kills <number>', 'how often', wholeNumber, 50)
    .option('--seed <number>', 'determines the moments of the kills', wholeNumber, randomInt(1_000_000))
    .action(async ({ kills, seed }: { readonly kills: number; readonly seed: number }) => {
      const again = `npm run crashes -- --kills ${kills} --seed ${seed}`;
      const ending = await play(again, (options) => playCrashes({ kills, seed, ...options }));
      printTable([{ seed, kills, ...ending.counts }]);
    }),
);
