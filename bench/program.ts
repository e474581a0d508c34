import { Command, InvalidArgumentError } from 'commander';
import { runNoisyNeighbour } from './noisy-neighbour/noisy-neighbour.ts';

type NoisyNeighbourFlags = {
  readonly waiting: number;
  readonly endpoints: number;
  readonly rate: number;
  readonly seconds: number;
  readonly model: boolean;
};

export type Terminal = {
  readonly out: (text: string) => void;
  /** Progress output, separate from the result. */
  readonly note: (text: string) => void;
};

/** `npm run bench -- …`. Lists the benchmarks when none is named. */
export function benchProgram(terminal: Terminal): Command {
  const program = new Command('npm run bench --')
    .description('Measure the service on the local stack. Results are ratios within one run.')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.note })
    .action(() => program.outputHelp());
  program.addCommand(noisyNeighbourCommand(terminal));
  return program;
}

function noisyNeighbourCommand({ out, note }: Terminal): Command {
  return new Command('noisy-neighbour')
    .description(
      'How much an endpoint that responds after ten seconds delays the others (about four minutes)',
    )
    .option('--waiting <number>', 'deliveries that wait for the slow endpoint', wholeNumber, 5_000)
    .option('--endpoints <number>', 'quick endpoints', wholeNumber, 20)
    .option('--rate <number>', 'events per second across all quick endpoints', wholeNumber, 10)
    .option('--seconds <number>', 'duration of each of the two phases', wholeNumber, 60)
    .option('--model', 'only the model, without the local stack (one second)', false)
    .action(async ({ waiting, endpoints, rate, seconds, model }: NoisyNeighbourFlags) => {
      const startedAt = performance.now();
      const result = await runNoisyNeighbour(
        { waiting, quickEndpoints: endpoints, rate, seconds },
        {
          modelOnly: model,
          say: (line) =>
            note(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}\n`),
        },
      );
      out(`${result}\n`);
    });
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Give a whole number of at least 1');
  return Number(text);
}
