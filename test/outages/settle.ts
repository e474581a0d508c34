import { setTimeout as sleep } from 'node:timers/promises';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { messagesOnQueues } from './queues.ts';
import { letTimePass, readDeliveries, type StoredDelivery } from './stored-deliveries.ts';

const lookEveryMs = 1_000;

/**
 * A timer fires within seconds on the fast clock. A delivery that waits unchanged for longer, while the queues are empty,
 * has lost its timer, and only the sweep can find it. The grace of the sweep is not shortened.
 */
const overdueAfterMs = 8_000;

export type Settled = {
  readonly deliveries: readonly StoredDelivery[];
  /** The failure to settle in time, if any; then the counts may be from slightly different times. */
  readonly broken: readonly string[];
  /** The number of deliveries whose due time was moved back for the sweep. */
  readonly overdue: number;
};

/**
 * Waits until no delivery is pending and no message is on a queue. When a timer seems lost, it moves the due time of
 * the delivery back, so that the sweep finds it.
 */
export async function settle(stack: StackFile, patienceMs: number): Promise<Settled> {
  const deadline = performance.now() + patienceMs;
  const watch = new Watch();
  const shown = new Set<string>();
  for (;;) {
    const messages = await messagesOnQueues(stack);
    const deliveries = await readDeliveries(stack);
    const pending = deliveries.filter(({ delivery }) => delivery.status === 'pending');
    const left = `${pending.length} deliveries are pending and ${messages} messages on the queues`;
    if (messages === 0 && pending.length === 0) return { deliveries, overdue: shown.size, broken: [] };
    if (performance.now() > deadline) {
      return { deliveries, overdue: shown.size, broken: [`After ${patienceMs / 1_000} s ${left}`] };
    }
    // A delivery with a message on a queue is not lost, and another message would only make the queue longer.
    const stuck = watch.stuck(pending);
    for (const each of messages === 0 ? stuck : []) {
      shown.add(each.delivery.id);
      await letTimePass(stack, each, Date.now());
    }
    await sleep(lookEveryMs);
  }
}

/** Records since when each delivery has the same due time. */
class Watch {
  #since = new Map<string, number>();

  stuck(pending: readonly StoredDelivery[]): readonly StoredDelivery[] {
    const now = performance.now();
    const waiting = pending.filter(({ waiting }) => waiting !== null);
    this.#since = new Map(
      waiting.map(({ waiting }) => [waiting ?? '', this.#since.get(waiting ?? '') ?? now] as const),
    );
    return waiting.filter(({ waiting }) => now - (this.#since.get(waiting ?? '') ?? now) >= overdueAfterMs);
  }
}
