import type { DeliveryMessage } from '../contract/delivery-message.ts';
import { attemptToWake, type Delivery } from '../domain/delivery.ts';
import type { Clock, DeliveryKey, EnqueueDeliveries, Report } from './ports.ts';

/** A delivery that something should have woken by `wakeAt`. */
export type Overdue = DeliveryKey & { readonly wakeAt: number };

type Deps = {
  readonly now: Clock;
  /** Deliveries of one shard of the index whose wake-up was due before a time, oldest first. */
  readonly listOverdue: (shard: number, before: number, limit: number) => Promise<readonly Overdue[]>;
  readonly shards: number;
  /** Moves the wake-up on, unless the delivery ended or somebody moved it. @returns the delivery, or `null` */
  readonly postponeWake: (overdue: Overdue, until: number) => Promise<Delivery | null>;
  readonly enqueueDeliveries: EnqueueDeliveries;
  readonly report: Report;
};

/** A timer fires within the minute after its time, and its message takes a moment: only then is it overdue. */
export const sweepGrace = 3 * 60_000;
/** After a sweep woke a delivery, it is looked at again this much later, should that message get lost as well. */
const sweepAgainAfter = 15 * 60_000;
const pageSize = 100;

/**
 * Puts deliveries whose timer was lost, refused or late back on the queue. Waking one twice is harmless: its
 * attempt is claimed once.
 *
 * @returns how many were woken
 */
export function sweepWaiting(deps: Deps) {
  return async (mayContinue: () => boolean): Promise<number> => {
    const shards = Array.from({ length: deps.shards }, (_, shard) => sweepShard(deps, shard, mayContinue));
    // One that fails holds up no other; then the sweep as a whole has failed.
    const results = await Promise.allSettled(shards);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return results.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
  };
}

async function sweepShard(deps: Deps, shard: number, mayContinue: () => boolean): Promise<number> {
  let woken = 0;
  for (;;) {
    const found = await deps.listOverdue(shard, deps.now() - sweepGrace, pageSize);
    const count = await wake(deps, found);
    woken += count;
    // A full page of which none was woken means that nothing moves now: the next sweep goes on.
    if (found.length < pageSize || count === 0 || !mayContinue()) return woken;
  }
}

async function wake(deps: Deps, found: readonly Overdue[]): Promise<number> {
  const postponed = await Promise.all(found.map((overdue) => postpone(deps, overdue)));
  const messages = postponed.filter((message) => message !== null);
  const refused = messages.length === 0 ? [] : await deps.enqueueDeliveries(messages);
  for (const message of refused) {
    const delivery = {
      customerId: message.customer_id,
      webhookId: message.webhook_id,
      id: message.delivery_id,
    };
    deps.report({ name: 'step.failed', step: 'enqueue', delivery, cause: 'refused by the queue' });
  }
  return messages.length - refused.length;
}

async function postpone(deps: Deps, overdue: Overdue): Promise<DeliveryMessage | null> {
  try {
    const delivery = await deps.postponeWake(overdue, deps.now() + sweepAgainAfter);
    if (delivery === null) return null;
    return {
      customer_id: delivery.customerId,
      webhook_id: delivery.webhookId,
      delivery_id: delivery.id,
      attempt: attemptToWake(delivery),
    };
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'sweep', delivery: overdue, cause });
    return null;
  }
}
