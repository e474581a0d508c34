import { Argument, type Command, Option } from 'commander';
import { handle, openRun, platform } from '#shared/contract/records/given-results.ts';
import { type IdKind, idPrefixes, isEngineId } from '#shared/domain/ids.ts';
import { ofForm, ofNumber, secondsUpTo, wholeNumber } from '../cli/option-parsers.ts';
import { emittableTypes } from './example-messages.ts';

const maxKindLength = 64;
/** As many example videos as fit into one message of a queue. */
const maxCount = 1_000;
const maxWaitSeconds = 86_400;
/** As many as one command can watch with `--wait`. */
const maxRepeat = 10_000;
/** As many as go out one request after the other, also from far away. */
const maxRate = 100;

const parseKind = ofForm(
  (text) => openRun.shape.kind.safeParse(text).success,
  `Expected 1 to ${maxKindLength} characters without control characters, such as creator_videos`,
);
const parsePlatform = ofForm(
  (text) => platform.safeParse(text).success,
  'Expected up to 32 letters, digits, underscores, dots or hyphens, such as tiktok',
);
const parseCharge = ofNumber(
  (charge) => Number.isFinite(charge) && charge >= 0,
  'Expected an amount in US dollars, 0 or more, such as 0.25',
);
const parseHandle = ofForm(
  (text) => handle.safeParse(text).success,
  'Expected the name of an account, such as example.creator',
);

/** Adds the arguments of `emit`, except those that name the stack. */
export function withMessageOptions(command: Command): Command {
  return command
    .addArgument(new Argument('<type>', 'what happened; see below').choices(emittableTypes))
    .requiredOption('--customer <id>', 'customer whose Run or Tracker it is', idOf('customer', 'a customer'))
    .addOption(
      new Option('--status <status>', 'how the Run ended; completed by default').choices([
        'completed',
        'partial',
        'failed',
      ]),
    )
    .option('--kind <kind>', 'kind of the Run or Tracker, such as creator_videos', parseKind)
    .option(
      '--run <id>',
      'id of the Run; a new one by default. With --repeat, the Runs are <id>-1, <id>-2 and so on',
      idOf('run', 'a Run'),
    )
    .option(
      '--tracker <id>',
      'id of the Tracker; by default none, or a new one for a message about a Tracker',
      idOf('tracker', 'a Tracker'),
    )
    .option('--charge <usd>', 'price of the Run in US dollars; 0.25 by default', parseCharge)
    .option('--platform <name>', 'platform of the videos; tiktok by default', parsePlatform)
    .option('--handle <name>', "name of the videos' creator; example.creator by default", parseHandle)
    .option('--count <n>', 'number of videos; 3 by default', wholeNumber(0, maxCount, 'Expected'))
    .option(
      '--repeat <n>',
      `send this many messages, at most ${maxRepeat}, and print a summary`,
      wholeNumber(1, maxRepeat, 'Expected'),
    )
    .addOption(
      new Option('--rate <n>', `messages a second with --repeat, at most ${maxRate}`)
        .argParser(wholeNumber(1, maxRate, 'Expected'))
        .default(10)
        .implies({ repeat: 1 }),
    );
}

/** How many messages `emit` sends, how many a second, and for how many seconds it waits. */
export type SendOptions = { readonly repeat?: number; readonly rate: number; readonly wait?: number };

export const waitOption = new Option(
  '--wait [seconds]',
  'wait until the deliveries have ended, at most this many seconds, and print their outcome',
)
  .preset('30')
  .argParser(secondsUpTo(maxWaitSeconds));

/** Explains the words of the help. @param typed the command as a person types it */
export const messageHelp = (typed: string): string => `
Types:
  run.saved              a Run waits or runs; no event
  run.items_saved        a Run found videos; no event
  run.settled            a Run settled: event run.completed
  tracker.saved          a Tracker was created or changed; no event
  change_report.written  a Tracker found a change: event tracker.changed
  creator_videos.saved   videos of a creator were stored; no event

This service delivers events about the work of another system, the Run engine. The Run engine reports its work with
messages on the intake queue, and this command sends such a message in its place. A Run is one job of the Run engine.
It settles when it ends: as completed, partial (some results are missing) or failed. A Tracker is a job that repeats.

A message about the same Run makes no second event. A command that failed names its Run: run it again with --run.

Examples:
  ${typed} run.settled --customer cus_… --wait
  ${typed} run.settled --customer cus_… --repeat 500 --rate 50 --wait`;

function idOf(kind: IdKind, what: string): (text: string) => string {
  const prefix = idPrefixes[kind];
  return ofForm(
    (text) => isEngineId(kind, text),
    `Expected the id of ${what}: ${prefix} and then letters, digits, _ or -, such as ${prefix}42`,
  );
}
