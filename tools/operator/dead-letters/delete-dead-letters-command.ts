import { type Command, Option } from 'commander';
import { isSelected, type Selection } from '#shared/operations/operator/take-out-dead-letters.ts';
import { ask, isInteractive } from '../cli/ask.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { nextCommand, onTarget, type TargetOptions } from '../cli/target.ts';
import { textTable } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import {
  type DeadLetterQueue,
  maxLetters,
  openDeadLetters,
  type QueueName,
  queueOption,
} from './dead-letter-queues.ts';
import { type Found, listLines, summarize } from './dead-letter-text.ts';
import { takeOutOfQueues, throwOnRest } from './take-out-of-queues.ts';

type Options = TargetOptions &
  OutputOptions & {
    readonly queue?: QueueName;
    readonly malformed?: true;
    readonly reason?: string;
    readonly dryRun?: true;
    readonly yes?: true;
  };

/** Messages that the plan shows to a person. */
const shownLetters = 25;

export function addDeleteDeadLettersCommand(command: Command, print: Output): void {
  onTarget(command.description('Delete messages permanently'))
    .argument('[ids...]', 'ids of the messages, from dead-letters list')
    .addOption(queueOption)
    .addOption(new Option('--malformed', 'all rejected messages').conflicts('reason'))
    .option('--reason <text>', 'all rejected messages whose reason contains this text')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--yes', 'do not ask')
    .action((ids: readonly string[], options: Options) => run(print, ids, options));
}

async function run(print: Output, ids: readonly string[], options: Options): Promise<void> {
  const selection = selectionOf(ids, options);
  assertConfirmable(selection, options);
  const queues = await openDeadLetters(options);
  if (options.dryRun === true) {
    const found = await search(queues, selection);
    return show(print, options, found.map(summarize), planLines(found));
  }
  // Ids are explicit enough: nobody is asked about them.
  if (selection.ids === null && options.json !== true) {
    const found = await search(queues, selection);
    print(`${planLines(found).join('\n')}\n`);
    if (found.length === 0) return;
    if (options.yes !== true && !(await ask(`Delete ${lettersText(found.length)} permanently?`))) {
      throw new Error('Nothing was deleted');
    }
  }
  await deleteSelected(print, queues, selection, options);
}

/** @throws UsageError unless the messages are named in exactly one way */
function selectionOf(ids: readonly string[], { malformed, reason }: Options): Selection {
  const isByReason = malformed === true || reason !== undefined;
  if (isByReason === ids.length > 0) {
    throw new UsageError('Give the ids of the messages, or --malformed, or --reason <text>');
  }
  if (!isByReason) return { ids: new Set(ids), malformed: true };
  if (reason?.trim() === '') {
    throw new UsageError('--reason is empty: give a part of the reason, or --malformed for all');
  }
  return { ids: null, malformed: true, reason: reason ?? '' };
}

/** Checked first: a script must not search for messages whose deletion it cannot confirm. */
function assertConfirmable({ ids }: Selection, { dryRun, yes, json }: Options): void {
  if (ids !== null || dryRun === true || yes === true || (json !== true && isInteractive())) return;
  throw new UsageError(
    'Nobody can be asked here: add --yes to delete, or --dry-run to see the messages only',
  );
}

async function search(queues: readonly DeadLetterQueue[], selection: Selection): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const queue of queues) {
    const letters = await queue.peek(maxLetters);
    const selected = letters.filter((letter) => isSelected(letter, selection));
    found.push(...selected.map((letter) => ({ queue: queue.name, letter })));
  }
  return found;
}

function planLines(found: readonly Found[]): readonly string[] {
  if (found.length === 0) return ['No such dead letters'];
  const rest = found.length - shownLetters;
  return [
    ...listLines(found.slice(0, shownLetters).map(summarize)),
    ...(rest > 0 ? [`And ${rest} more: --dry-run --json has all`] : []),
    `To delete: ${lettersText(found.length)}`,
  ];
}

function lettersText(count: number): string {
  return `${count} ${count === 1 ? 'message' : 'messages'}`;
}

async function deleteSelected(
  print: Output,
  queues: readonly DeadLetterQueue[],
  selection: Selection,
  options: Options,
): Promise<void> {
  const results = await takeOutOfQueues(queues, selection);
  const deleted = results.map(({ queue, taken }) => ({ queue, deleted: taken }));
  const rows = deleted.map(({ queue, deleted: { length } }) => [queue, String(length)]);
  const rest = results.filter(({ more }) => selection.ids === null && more);
  const list = nextCommand(options, 'dead-letters list');
  show(print, options, deleted, [
    ...textTable(['QUEUE', 'DELETED'], rows),
    ...rest.map(({ queue }) => `${queue}: there may be more. List them with: ${list} --queue ${queue}`),
  ]);
  throwOnRest(results, 'Deleted', selection.ids, options);
}
