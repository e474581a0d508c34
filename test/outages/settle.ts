import { setTimeout as sleep } from 'node:timers/promises';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { queueSize } from '../support/stack/stack.ts';
import { letTimePass, readDeliveries } from './stored-deliveries.ts';

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
export async function settle(stack: StackFile) {
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
    since = new Map(
      pending.flatMap(({ waiting }) => (waiting ? [[waiting, since.get(waiting) ?? now]] : [])),
    );
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
export async function countMessages(stack: StackFile, queueUrls: readonly string[]): Promise<number> {
  const sizes = await Promise.all(queueUrls.map((url) => queueSize(stack.endpoints.sqs, url)));
  return sizes.reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
}
