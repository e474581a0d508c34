import { type Command, Option } from 'commander';
import type { DeadLetter } from '#shared/aws/queues/dead-letter-queue.ts';
import { isSelected, type Selection } from '#shared/operations/operator/take-out-dead-letters.ts';
import { assertConfirmable, confirm, type PlanOptions, yesOption } from '../cli/ask.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { counted, recordTable, when } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import {
  countHeld,
  type DeadLetterQueue,
  type Found,
  findLetters,
  openDeadLetters,
  type QueueOptions,
  queueOption,
  takeOutOfQueues,
  throwOnRest,
} from './dead-letter-queues.ts';
import { heldLines, listLines, summarize } from './dead-letter-text.ts';

type DeleteOptions = PlanOptions & QueueOptions & { readonly malformed?: true; readonly reason?: string };

/** Messages that the plan shows to a person. */
const shownLetters = 25;

export function addDeleteDeadLettersCommand(command: Command): void {
  onTarget(command, 'Delete messages permanently')
    .argument('[ids...]', 'ids of the messages, from dead-letters list')
    .addOption(queueOption)
    .addOption(new Option('--malformed', 'all rejected messages').conflicts('reason'))
    .option('--reason <text>', 'all rejected messages whose reason contains this text')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .addOption(yesOption())
    .action(invoke(run));
}

async function run(invocation: Invocation<DeleteOptions>, ids: readonly string[]): Promise<void> {
  const { options, open, print, show } = invocation;
  const selection = selectionOf(ids, options);
  assertConfirmable(options);
  const queues = openDeadLetters(await open(), options);
  const isWanted = (letter: DeadLetter) => isSelected(letter, selection);
  if (options.dryRun === true) {
    const held = await countHeld(queues);
    const found = await findLetters(queues, isWanted);
    return show(found.map(summarize), [...planLines(found), ...heldLines(held)]);
  }
  if (selection.ids === null && options.json !== true) {
    const held = await countHeld(queues);
    const found = await findLetters(queues, isWanted);
    print(`${[...planLines(found), ...heldLines(held)].join('\n')}\n`);
    if (found.length === 0) return;
    await confirm(options, `Delete ${counted(found.length, 'message')} permanently?`);
  } else {
    await confirm(options, `Delete ${ids.length > 0 ? ids.join(', ') : 'the messages'} permanently?`);
  }
  await deleteSelected(invocation, queues, selection);
}

/** @throws UsageError unless the messages are named in exactly one way */
function selectionOf(ids: readonly string[], { malformed, reason }: DeleteOptions): Selection {
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

function planLines(found: readonly Found[]): readonly string[] {
  if (found.length === 0) return ['No such dead letters'];
  const rest = found.length - shownLetters;
  return [
    ...listLines(found.slice(0, shownLetters).map(summarize)),
    ...when(rest > 0, `And ${rest} more: --dry-run --json has all`),
    `To delete: ${counted(found.length, 'message')}`,
  ];
}

async function deleteSelected(
  { next, show }: Invocation,
  queues: readonly DeadLetterQueue[],
  selection: Selection,
): Promise<void> {
  const results = await takeOutOfQueues(queues, selection);
  const deleted = results.map(({ queue, taken, heldElsewhere: held_elsewhere }) => {
    return { queue, deleted: taken, held_elsewhere };
  });
  const rest = results.filter(({ more }) => selection.ids === null && more);
  const list = next('dead-letters list');
  show(deleted, [
    ...recordTable(results, { QUEUE: 'queue', DELETED: ({ taken }) => taken.length }),
    // The plan of the others has said so.
    ...(selection.ids === null ? [] : heldLines(results)),
    ...rest.map(({ queue }) => `${queue}: there may be more. List them with: ${list} --queue ${queue}`),
  ]);
  throwOnRest(results, 'Deleted', selection.ids, next);
}
