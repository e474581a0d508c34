import { type Command, InvalidArgumentError } from 'commander';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type DeadLetterQueue, openDeadLetters, type QueueName, queueOption } from './dead-letter-queues.ts';
import { type Found, letterLines, listLines, summarize } from './dead-letter-text.ts';
import { moveDeadLetters, throwOnRest } from './move-dead-letters.ts';
import { type Output, type OutputOptions, show, tableLines } from './output.ts';
import { addRedriveCommand } from './redrive-command.ts';
import { nextCommand, onTarget, type TargetOptions } from './target.ts';

type Options = TargetOptions & OutputOptions & { readonly queue?: QueueName };
type ListOptions = Options & { readonly limit: number };

/** More are neither listed nor searched. */
const mostLetters = 10_000;

export function addDeadLetterCommands(deadLetters: Command, print: Output): void {
  onTarget(deadLetters.command('list').description('List messages that could not be processed, and why'))
    .addOption(queueOption)
    .option('--limit <number>', 'at most this many of each queue', parseLimit, 100)
    .action((options: ListOptions) => list(print, options));
  onTarget(deadLetters.command('show').description('Show one of them whole, with its body'))
    .argument('<id>', 'id of the message, as dead-letters list shows it')
    .addOption(queueOption)
    .action((id: string, options: Options) => showOne(print, id, options));
  addRedriveCommand(deadLetters.command('redrive'), print);
  onTarget(deadLetters.command('delete').description('Delete messages that nobody needs any more, for good'))
    .argument('<id...>', 'ids of the messages, as dead-letters list shows them')
    .addOption(queueOption)
    .action((ids: readonly string[], options: Options) => deleteThem(print, new Set(ids), options));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostLetters) return limit;
  throw new InvalidArgumentError(`give a whole number from 1 to ${mostLetters}`);
}

async function list(print: Output, options: ListOptions): Promise<void> {
  const queues = await openDeadLetters(options);
  const looks = await Promise.all(queues.map((queue) => look(queue, options.limit)));
  const letters = looks.flatMap(({ found }) => found.map(summarize));
  const result = {
    dead_letters: letters,
    queues: looks.map(({ queue, found, total }) => ({ queue, listed: found.length, total })),
  };
  const lines = letters.length === 0 ? ['No dead letters can be seen'] : listLines(letters);
  show(print, options, result, [...lines, ...looks.flatMap((seen) => describeRest(seen, options))]);
}

type Look = { readonly queue: QueueName; readonly found: readonly Found[]; readonly total: number };

/** Newest first. What is held by somebody else is counted but not seen. */
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
    ? [`${queue}: about ${rest} more, see --limit`]
    : [
        `${queue}: about ${rest} more; another command holds them, or they are just gone: look again in a minute`,
      ];
}

async function showOne(print: Output, id: string, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const looks = await Promise.all(queues.map((queue) => find(queue, id)));
  const [found] = looks.flat();
  if (found === undefined) {
    const next = nextCommand(options, 'dead-letters list');
    throw new Error(`There is no dead letter ${id} that can be seen: ${next} shows those there are`);
  }
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
  const nowhere = async (): Promise<void> => {};
  const results = await moveDeadLetters(queues, { ids, malformed: true }, () => nowhere);
  const deleted = results.map(({ queue, redriven }) => ({ queue, deleted: redriven }));
  const rows = deleted.map(({ queue, deleted: { length } }) => [queue, String(length)]);
  show(print, options, deleted, tableLines(['QUEUE', 'DELETED'], rows));
  throwOnRest(results, 'Deleted', ids, options);
}

async function find(queue: DeadLetterQueue, id: string): Promise<readonly Found[]> {
  const letters = await queue.peek(mostLetters, (letter) => letter.id === id);
  return letters.filter((letter) => letter.id === id).map((letter) => ({ queue: queue.name, letter }));
}
