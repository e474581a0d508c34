import type { Command } from 'commander';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { nextCommand, onTarget, type TargetOptions } from '../cli/target.ts';
import { recordTable, when } from '../cli/text-table.ts';
import { openDeadLetters, type QueueName, queueOption } from './dead-letter-queues.ts';
import { type QueueResult, takeOutOfQueues, throwOnRest } from './take-out-of-queues.ts';

type Options = TargetOptions &
  OutputOptions & { readonly queue?: QueueName; readonly id?: readonly string[]; readonly malformed?: true };

export function addRedriveCommand(redrive: Command, print: Output): void {
  onTarget(redrive.description('Put messages back onto the queue that they came from'))
    .addOption(queueOption)
    .option('--id <id...>', 'only these messages, rejected or not; all others by default')
    .option('--malformed', 'include rejected messages; they return unless the cause is fixed')
    .action((options: Options) => redriveAll(print, options));
}

async function redriveAll(print: Output, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const ids = options.id === undefined ? null : new Set(options.id);
  const selection = { ids, malformed: options.malformed === true };
  const results = await takeOutOfQueues(queues, selection, true);
  show(print, options, results.map(present), describe(results, options));
  throwOnRest(results, 'Put back', ids, options);
}

function present({ queue, taken, skipped, more, heldElsewhere }: QueueResult) {
  return { queue, redriven: taken, skipped, more, held_elsewhere: heldElsewhere };
}

function describe(results: readonly QueueResult[], options: Options): readonly string[] {
  return [
    ...recordTable(results, {
      QUEUE: ({ queue }) => queue,
      'PUT BACK': ({ taken }) => taken.length,
      SKIPPED: ({ skipped }) => skipped,
    }),
    ...results.flatMap((result) => describeRest(result, options)),
  ];
}

function describeRest(
  { queue, skipped, more, heldElsewhere }: QueueResult,
  options: Options,
): readonly string[] {
  const command = (words: string) => nextCommand(options, `dead-letters ${words} --queue ${queue}`);
  return [
    ...when(
      skipped > 0,
      `${queue}: skipped ${skipped}, because rejected messages return unless the cause is fixed. ` +
        `List them with: ${command('list')}. Once it is fixed: ${command('redrive --malformed')}`,
    ),
    ...when(
      heldElsewhere > 0,
      `${queue}: another command holds about ${heldElsewhere} more; try again in a few minutes`,
    ),
    ...when(more, `${queue}: there may be more. Run again: ${command('redrive')}`),
  ];
}
