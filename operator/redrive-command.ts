import type { Command } from 'commander';
import { openDeadLetters, type QueueName, queueOption } from './dead-letter-queues.ts';
import { moveDeadLetters, type QueueResult, throwOnRest } from './move-dead-letters.ts';
import { type Output, type OutputOptions, show, tableLines } from './output.ts';
import { nextCommand, onTarget, type TargetOptions } from './target.ts';

type Options = TargetOptions &
  OutputOptions & { readonly queue?: QueueName; readonly id?: readonly string[]; readonly malformed?: true };

export function addRedriveCommand(redrive: Command, print: Output): void {
  onTarget(redrive.description('Put messages back onto the queue that they came from'))
    .addOption(queueOption)
    .option('--id <id...>', 'only these messages, with a reason or not; all of them by default')
    .option('--malformed', 'also those with a reason, which come back unless their cause is mended')
    .action((options: Options) => redriveAll(print, options));
}

async function redriveAll(print: Output, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const ids = options.id === undefined ? null : new Set(options.id);
  const selection = { ids, malformed: options.malformed === true };
  const results = await moveDeadLetters(queues, selection, ({ putBack }) => putBack);
  show(print, options, results.map(present), describe(results, options));
  throwOnRest(results, 'Put back', ids, options);
}

function present({ queue, redriven, skipped, more, heldElsewhere }: QueueResult) {
  return { queue, redriven, skipped, more, held_elsewhere: heldElsewhere };
}

function describe(results: readonly QueueResult[], options: Options): readonly string[] {
  const rows = results.map(({ queue, redriven, skipped }) => [
    queue,
    String(redriven.length),
    String(skipped),
  ]);
  return [
    ...tableLines(['QUEUE', 'PUT BACK', 'SKIPPED'], rows),
    ...results.flatMap((result) => describeRest(result, options)),
  ];
}

function describeRest(
  { queue, skipped, more, heldElsewhere }: QueueResult,
  options: Options,
): readonly string[] {
  const command = (words: string) => nextCommand(options, `dead-letters ${words} --queue ${queue}`);
  return [
    ...(skipped === 0
      ? []
      : [
          `${queue}: ${skipped} skipped, as they have a reason and would come straight back (${command('list')}); ` +
            `once it is mended: ${command('redrive --malformed')}`,
        ]),
    ...(heldElsewhere === 0
      ? []
      : [`${queue}: another command holds about ${heldElsewhere}; they can be put back in a few minutes`]),
    ...(more ? [`${queue}: more may be there: ${command('redrive')}`] : []),
  ];
}
