import type { Command } from 'commander';
import {
  type Redriven,
  redriveDeadLetters,
  type Selection,
} from '../shared/operations/redrive-dead-letters.ts';
import { type DeadLetterQueue, openDeadLetters, type QueueName, queueOption } from './dead-letter-queues.ts';
import { type Output, type OutputOptions, show, tableLines } from './output.ts';
import { nextCommand, onTarget, type TargetOptions } from './target.ts';

type Options = TargetOptions &
  OutputOptions & { readonly queue?: QueueName; readonly id?: readonly string[]; readonly malformed?: true };

type QueueResult = Redriven & {
  readonly queue: QueueName;
  /** How many somebody else held when it began; they were not looked at. */
  readonly heldElsewhere: number;
};

export function addRedriveCommand(redrive: Command, print: Output): void {
  onTarget(redrive.description('Put messages back onto the queue that they came from'))
    .addOption(queueOption)
    .option('--id <id...>', 'only these messages, with a reason or not; all of them by default')
    .option('--malformed', 'also those with a reason, which come back unless their cause is mended')
    .action((options: Options) => redriveAll(print, options));
}

async function redriveAll(print: Output, options: Options): Promise<void> {
  const queues = await openDeadLetters(options);
  const results: QueueResult[] = [];
  // One after the other: the second queue need not be searched for ids that were in the first.
  for (const queue of queues) {
    const selection = selectionOf(options, results);
    if (selection.ids?.size !== 0) results.push(await redriveQueue(queue, selection));
  }
  show(print, options, results.map(present), describe(results, options));
  throwOnFailure(results);
  throwOnMissing(selectionOf(options, results).ids ?? new Set(), options);
}

/** What is still to be put back. */
function selectionOf({ id, malformed }: Options, results: readonly QueueResult[]): Selection {
  const done = new Set(results.flatMap(({ redriven }) => redriven));
  const ids = id === undefined ? null : new Set(id.filter((wanted) => !done.has(wanted)));
  return { ids, malformed: malformed === true };
}

async function redriveQueue(queue: DeadLetterQueue, selection: Selection): Promise<QueueResult> {
  let heldElsewhere = 0;
  const count = async () => {
    const { waiting, held } = await queue.count();
    heldElsewhere = held;
    return waiting + held;
  };
  const { take, putBack, remove, release } = queue;
  const result = await redriveDeadLetters({ count, take: () => take(), putBack, remove, release })(selection);
  return { ...result, queue: queue.name, heldElsewhere };
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

function throwOnFailure(results: readonly QueueResult[]): void {
  for (const { queue, redriven, failure } of results) {
    if (failure === null) continue;
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new Error(
      `Put back ${redriven.length} dead letters of the ${queue} queue, the others are still there: ${reason}`,
      { cause: failure },
    );
  }
}

function throwOnMissing(missing: ReadonlySet<string>, options: Options): void {
  if (missing.size === 0) return;
  const list = nextCommand(options, 'dead-letters list');
  throw new Error(
    `There is no dead letter ${[...missing].join(', ')} that can be seen: ${list} shows those there are`,
  );
}
