import { type Command, InvalidArgumentError } from 'commander';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type DeadLetterQueue, openDeadLetters, type QueueName, queueOption } from './dead-letter-queues.ts';
import { type Found, letterLines, listLines, summarize } from './dead-letter-text.ts';
import { type Output, type OutputOptions, show } from './output.ts';
import { addRedriveCommand } from './redrive-command.ts';
import { deadLetterNotFound, takeOutOfQueues, throwOnRest } from './take-out-of-queues.ts';
import { onTarget, type TargetOptions } from './target.ts';
import { textTable } from './text-table.ts';

type Options = TargetOptions & OutputOptions & { readonly queue?: QueueName };
type ListOptions = Options & { readonly limit: number };

/** Number of messages in a queue that can be listed or searched. */
const mostLetters = 10_000;

export function addDeadLetterCommands(deadLetters: Command, print: Output): void {
  onTarget(
    deadLetters.command('list').description('List messages that could not be processed, with the reason'),
  )
    .addOption(queueOption)
    .option('--limit <number>', 'most messages to list from each queue', parseLimit, 100)
    .action((options: ListOptions) => list(print, options));
  onTarget(deadLetters.command('show').description('Show one message in full, with its body'))
    .argument('<id>', 'id of the message, from dead-letters list')
    .addOption(queueOption)
    .action((id: string, options: Options) => showOne(print, id, options));
  addRedriveCommand(deadLetters.command('redrive'), print);
  onTarget(deadLetters.command('delete').description('Delete messages permanently'))
    .argument('<id...>', 'ids of the messages, from dead-letters list')
    .addOption(queueOption)
    .action((ids: readonly string[], options: Options) => deleteThem(print, new Set(ids), options));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostLetters) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${mostLetters}`);
}

async function list(print: Output, options: ListOptions): Promise<void> {
  const queues = await openDeadLetters(options);
  const looks = await Promise.all(queues.map((queue) => look(queue, options.limit)));
  const letters = looks.flatMap(({ found }) => found.map(summarize));
  const result = {
    dead_letters: letters,
    queues: looks.map(({ queue, found, total }) => ({ queue, listed: found.length, total })),
  };
  const lines = letters.length === 0 ? ['No dead letters found'] : listLines(letters);
  show(print, options, result, [...lines, ...looks.flatMap((seen) => describeRest(seen, options))]);
}

type Look = { readonly queue: QueueName; readonly found: readonly Found[]; readonly total: number };

/** Newest first. Messages that another command holds are counted but not seen. */
async function look(queue: DeadLetterQueue, limit: number): Promise<Look> {
  const { waiting, held } = await queue.count();
  const letters = await queue.peek(limit);
  const found = letters
    .toSorted((a, b) => b.sentAt - a.sentAt || a.id.localeCompare(b.id))
    .map((letter) => ({ queue: queue.name, letter }));
  return { queue: queue.name, found, total: Math.max(waiting + held, found.length) };
}

function describeRest({ queue, found, total }: Look, { limit }: ListOptions): readonly string[] {
  const rest = total - found.length;
  if (rest === 0) return [];
  return found.length >= limit
    ? [`${queue}: about ${rest} more; raise --limit to list them`]
    : [
        `${queue}: about ${rest} more, which another command holds or which were just deleted; try again in a minute`,
      ];
}

async function showOne(print: Output, id: string, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const looks = await Promise.all(queues.map((queue) => find(queue, id)));
  const [found] = looks.flat();
  if (found === undefined) throw deadLetterNotFound(id, options);
  const { queue, letter } = found;
  const { id: messageId, sentAt, receiveCount, reason, body } = letter;
  show(
    print,
    options,
    { queue, id: messageId, sent_at: timestamp(sentAt), receive_count: receiveCount, reason, body },
    letterLines(found),
  );
}

async function deleteThem(print: Output, ids: ReadonlySet<string>, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const results = await takeOutOfQueues(queues, { ids, malformed: true });
  const deleted = results.map(({ queue, taken }) => ({ queue, deleted: taken }));
  const rows = deleted.map(({ queue, deleted: { length } }) => [queue, String(length)]);
  show(print, options, deleted, textTable(['QUEUE', 'DELETED'], rows));
  throwOnRest(results, 'Deleted', ids, options);
}

async function find(queue: DeadLetterQueue, id: string): Promise<readonly Found[]> {
  const letters = await queue.peek(mostLetters, (letter) => letter.id === id);
  return letters.filter((letter) => letter.id === id).map((letter) => ({ queue: queue.name, letter }));
}
