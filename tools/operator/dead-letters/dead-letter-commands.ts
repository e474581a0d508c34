import { type Command, Option } from 'commander';
import { wholeNumber } from '../cli/option-parsers.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { recordTable, when } from '../cli/text-table.ts';
import {
  type DeadLetterQueue,
  deadLetterNotFound,
  findLetters,
  maxLetters,
  openDeadLetters,
  type QueueOptions,
  type QueueResult,
  queueOption,
  takeOutOfQueues,
  throwOnRest,
} from './dead-letter-queues.ts';
import { heldLines, letterLines, listLines, summarize } from './dead-letter-text.ts';
import { addDeleteDeadLettersCommand } from './delete-dead-letters-command.ts';

type ListOptions = QueueOptions & { readonly limit: number };
type RedriveOptions = QueueOptions & { readonly id?: readonly string[]; readonly malformed?: true };

export function addDeadLetterCommands(deadLetters: Command): void {
  onTarget(deadLetters.command('list'), 'List messages that could not be processed, with the reason')
    .addOption(queueOption)
    .option('--limit <number>', 'maximum number of messages to list from each queue', wholeNumber(1, maxLetters), 100)
    .action(invoke(list));
  onTarget(deadLetters.command('show'), 'Show one message in full, with its body')
    .argument('<id>', 'id of the message, from dead-letters list')
    .addOption(queueOption)
    .action(invoke(showOne));
  onTarget(deadLetters.command('redrive'), 'Put messages back onto the queue that they came from')
    .argument('[ids...]', 'only these messages, rejected or not; all that were not rejected by default')
    .addOption(queueOption)
    .addOption(new Option('--id <id...>', 'earlier form of the arguments').hideHelp())
    .option('--malformed', 'include rejected messages; they return unless the cause is fixed')
    .action(invoke(redrive));
  addDeleteDeadLettersCommand(deadLetters.command('delete'));
}

async function list({ options, open, show }: Invocation<ListOptions>): Promise<void> {
  const queues = openDeadLetters(await open(), options);
  const listings = await Promise.all(queues.map((queue) => listQueue(queue, options.limit)));
  const letters = listings.flatMap((listing) => listing.letters);
  const totals = listings.map(({ queue, letters: { length: listed }, total }) => ({ queue, listed, total }));
  show({ dead_letters: letters, queues: totals }, [
    ...(letters.length === 0 ? ['No dead letters found'] : listLines(letters)),
    ...totals.flatMap(({ queue, listed, total }) => {
      const why =
        listed >= options.limit
          ? '; raise --limit to list them'
          : ', held by another command or just deleted; try again in a minute';
      return when(total > listed, `${queue}: about ${total - listed} more${why}`);
    }),
  ]);
}

/** Newest first. Messages that another command holds are counted but not listed. */
async function listQueue({ name: queue, count, peek }: DeadLetterQueue, limit: number) {
  const { waiting, held } = await count();
  const found = await peek(limit);
  const letters = found
    .toSorted((a, b) => b.sentAt - a.sentAt || a.id.localeCompare(b.id))
    .map((letter) => summarize({ queue, letter }));
  return { queue, letters, total: Math.max(waiting + held, letters.length) };
}

async function showOne({ options, open, next, show }: Invocation<QueueOptions>, id: string): Promise<void> {
  const queues = openDeadLetters(await open(), options);
  const isIt = (letter: { readonly id: string }) => letter.id === id;
  const [found] = await findLetters(queues, isIt, isIt);
  if (found === undefined) throw deadLetterNotFound(id, next);
  const { subject: _, ...facts } = summarize(found);
  show({ ...facts, body: found.letter.body }, letterLines(found));
}

async function redrive(
  { options, open, next, show }: Invocation<RedriveOptions>,
  given: readonly string[],
): Promise<void> {
  const queues = openDeadLetters(await open(), options);
  const named = [...given, ...(options.id ?? [])];
  const ids = named.length === 0 ? null : new Set(named);
  const results = await takeOutOfQueues(queues, { ids, malformed: options.malformed === true }, true);
  const result = results.map(({ queue, taken: redriven, skipped, more, heldElsewhere: held_elsewhere }) => {
    return { queue, redriven, skipped, more, held_elsewhere };
  });
  show(result, [
    ...recordTable(results, { QUEUE: 'queue', 'PUT BACK': ({ taken }) => taken.length, SKIPPED: 'skipped' }),
    ...results.flatMap((each) => restLines(each, (words) => next(`dead-letters ${words} --queue ${each.queue}`))),
  ]);
  throwOnRest(results, 'Put back', ids, next);
}

function restLines(result: QueueResult, command: (words: string) => string): readonly string[] {
  const { queue, skipped, more } = result;
  return [
    ...when(
      skipped > 0,
      `${queue}: skipped ${skipped}, because rejected messages return unless the cause is fixed. ` +
        `List them with: ${command('list')}. Once it is fixed: ${command('redrive --malformed')}`,
    ),
    ...heldLines([result]),
    ...when(more, `${queue}: there may be more. Run again: ${command('redrive')}`),
  ];
}
