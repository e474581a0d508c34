import type { Command } from 'commander';
import { wholeNumber } from '../cli/option-parsers.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { onTarget, type TargetOptions } from '../cli/target.ts';
import {
  type DeadLetterQueue,
  type Found,
  findLetters,
  maxLetters,
  openDeadLetters,
  type QueueName,
  queueOption,
} from './dead-letter-queues.ts';
import { letterLines, listLines, summarize } from './dead-letter-text.ts';
import { addDeleteDeadLettersCommand } from './delete-dead-letters-command.ts';
import { addRedriveCommand } from './redrive-command.ts';
import { deadLetterNotFound } from './take-out-of-queues.ts';

type Options = TargetOptions & OutputOptions & { readonly queue?: QueueName };
type ListOptions = Options & { readonly limit: number };

export function addDeadLetterCommands(deadLetters: Command, print: Output): void {
  onTarget(
    deadLetters.command('list').description('List messages that could not be processed, with the reason'),
  )
    .addOption(queueOption)
    .option(
      '--limit <number>',
      'maximum number of messages to list from each queue',
      wholeNumber(1, maxLetters),
      100,
    )
    .action((options: ListOptions) => list(print, options));
  onTarget(deadLetters.command('show').description('Show one message in full, with its body'))
    .argument('<id>', 'id of the message, from dead-letters list')
    .addOption(queueOption)
    .action((id: string, options: Options) => showOne(print, id, options));
  addRedriveCommand(deadLetters.command('redrive'), print);
  addDeleteDeadLettersCommand(deadLetters.command('delete'), print);
}

async function list(print: Output, options: ListOptions): Promise<void> {
  const queues = await openDeadLetters(options);
  const listings = await Promise.all(queues.map((queue) => listQueue(queue, options.limit)));
  const letters = listings.flatMap(({ found }) => found.map(summarize));
  const result = {
    dead_letters: letters,
    queues: listings.map(({ queue, found, total }) => ({ queue, listed: found.length, total })),
  };
  const lines = letters.length === 0 ? ['No dead letters found'] : listLines(letters);
  show(print, options, result, [...lines, ...listings.flatMap((listing) => describeRest(listing, options))]);
}

type QueueListing = { readonly queue: QueueName; readonly found: readonly Found[]; readonly total: number };

/** Newest first. Messages that another command holds are counted but not listed. */
async function listQueue(queue: DeadLetterQueue, limit: number): Promise<QueueListing> {
  const { waiting, held } = await queue.count();
  const letters = await queue.peek(limit);
  const found = letters
    .toSorted((a, b) => b.sentAt - a.sentAt || a.id.localeCompare(b.id))
    .map((letter) => ({ queue: queue.name, letter }));
  return { queue: queue.name, found, total: Math.max(waiting + held, found.length) };
}

function describeRest({ queue, found, total }: QueueListing, { limit }: ListOptions): readonly string[] {
  const rest = total - found.length;
  if (rest === 0) return [];
  return found.length >= limit
    ? [`${queue}: about ${rest} more; raise --limit to list them`]
    : [`${queue}: about ${rest} more, held by another command or just deleted; try again in a minute`];
}

async function showOne(print: Output, id: string, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const isIt = (letter: { readonly id: string }) => letter.id === id;
  const [found] = await findLetters(queues, isIt, isIt);
  if (found === undefined) throw deadLetterNotFound(id, options);
  const { subject: _, ...facts } = summarize(found);
  show(print, options, { ...facts, body: found.letter.body }, letterLines(found));
}
