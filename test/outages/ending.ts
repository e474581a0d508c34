import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { queueSize } from '../support/stack/stack.ts';
import { createWorkplace, Program, type Workplace } from '../support/stack/stack-process.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { letTimePass, readDeliveries } from './stored-deliveries.ts';
import { type Counts, type Facts, judge } from './verdict.ts';

const lookEveryMs = 1_000;
/** Long, because the machine may be busy. */
const timeLimitMs = 900_000;

/**
 * A timer fires within seconds on the fast clock. A delivery that waits unchanged for longer, while the queues are empty,
 * has lost its timer, and only the sweep can find it. The grace of the sweep is not shortened.
 */
const overdueAfterMs = 8_000;

/**
 * Waits until no delivery is pending and no message is on a queue. When a timer seems lost, it moves the due time of
 * the delivery back, so that the sweep finds it.
 *
 * @returns `overdue`: the number of those deliveries; `broken`: the failure to settle in time, if any, after which the
 *   counts may be from slightly different times
 */
async function settle(stack: StackFile) {
  const deadline = performance.now() + timeLimitMs;
  const queues = [stack.intake_queue_url, stack.delivery_queue_url, stack.slow_delivery_queue_url];
  const shown = new Set<string>();
  /** Since when each place in the waiting index is taken. */
  let since = new Map<string, number>();
  for (;;) {
    const messages = await countMessages(stack, queues);
    const deliveries = await readDeliveries(stack);
    const pending = deliveries.filter(({ delivery }) => delivery.status === 'pending');
    if (messages === 0 && pending.length === 0) return { deliveries, overdue: shown.size, broken: [] };
    const now = performance.now();
    if (now > deadline) {
      const left = `${pending.length} deliveries are pending and ${messages} messages on the queues`;
      return { deliveries, overdue: shown.size, broken: [`After ${timeLimitMs / 1_000} s ${left}`] };
    }
    since = new Map(pending.flatMap(({ waiting }) => (waiting ? [[waiting, since.get(waiting) ?? now]] : [])));
    for (const each of pending) {
      // A delivery with a message on a queue is not lost, and another message would only make the queue longer.
      if (messages > 0 || now - (since.get(each.waiting ?? '') ?? now) < overdueAfterMs) continue;
      shown.add(each.delivery.id);
      await letTimePass(stack, each);
    }
    await sleep(lookEveryMs);
  }
}

/** Messages of queues, those that are in flight included. */
async function countMessages(stack: StackFile, queueUrls: readonly string[]): Promise<number> {
  const sizes = await Promise.all(queueUrls.map((url) => queueSize(stack.endpoints.sqs, url)));
  return sizes.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
}

export type PlayOptions = {
  /** Called with each line about the progress. */
  readonly note: (line: string) => void;
  /** Gets every part that is started, and disposes of it at the end, also after a failure. */
  readonly parts: AsyncDisposableStack;
};

export type Ending = {
  readonly counts: Counts;
  /** Epoch milliseconds. */
  readonly settledAt: number;
  /** The broken promises. */
  readonly broken: readonly string[];
  /** Where the stack's data and log are; they are kept when a promise is broken. */
  readonly workplace: Workplace;
};

/** Plays in a workplace of its own, with receivers that outlive the stack. */
export async function inWorkplace<E extends Ending>(
  parts: AsyncDisposableStack,
  play: (workplace: Workplace, receivers: Receivers) => Promise<E>,
): Promise<E> {
  let isClean = false;
  const workplace = await createWorkplace();
  // Disposed of last: its data explains a broken promise.
  parts.defer(() => (isClean ? workplace.remove() : undefined));
  const receivers = await startReceivers(join(workplace.dir, '.local'));
  parts.defer(() => receivers.close());
  const ending = await play(workplace, receivers);
  isClean = ending.broken.length === 0;
  return ending;
}

/** Lets everything settle, and checks the promises. @param facts asked for once all is settled */
export async function judgeEnding(
  info: StackFile,
  workplace: Workplace,
  note: PlayOptions['note'],
  facts: () => Omit<Facts, 'deliveries'>,
): Promise<Ending> {
  const settled = await settle(info);
  const settledAt = Date.now();
  note(`settled; the sweep was needed for ${settled.overdue} deliveries`);
  const deliveries = settled.deliveries.map(({ delivery }) => delivery);
  const { counts, broken } = judge({ ...facts(), deliveries });
  const audited = await audit(workplace);
  const { intake_dead_letter_queue_url, delivery_dead_letter_queue_url } = info;
  const lost = await countMessages(info, [intake_dead_letter_queue_url, delivery_dead_letter_queue_url]);
  const deadLetters = lost === 0 ? [] : [`${lost} messages are in the dead-letter queues`];
  return {
    counts,
    settledAt,
    broken: [...settled.broken, ...broken, ...audited, ...deadLetters],
    workplace,
  };
}

const auditResult = z.object({ complete: z.boolean(), pending: z.record(z.string(), z.number()) });

/** Runs the operator's audit. @returns the problems that it reports */
async function audit({ dir, stackFile }: Workplace): Promise<readonly string[]> {
  const args = ['bin/admin.ts', 'audit', '--json', '--stack-file', stackFile];
  const program = await Program.start(process.execPath, args, { cwd: dir });
  const code = await program.exited();
  if (code !== 0) return [`The audit ended with ${code}: ${program.output.trim()}`];
  const { complete, pending } = auditResult.parse(JSON.parse(program.output));
  const left = Object.entries(pending).filter(([, count]) => count > 0);
  return [
    ...(complete ? [] : ['The audit is not complete']),
    ...left.map(([state, count]) => `The audit finds ${count} deliveries ${state}`),
  ];
}
