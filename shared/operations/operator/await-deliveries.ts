import type { Delivery } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { Clock, ReadDelivery, Wait } from '#shared/operations/ports.ts';

/**
 * Reads the fan-out of the event about a subject, a Run or a Change Report; `null` until the subject has an event.
 * Strongly consistent.
 */
export type ReadFanOut = (customerId: string, subjectId: string) => Promise<FanOut | null>;

type Deps = {
  readonly now: Clock;
  readonly wait: Wait;
  readonly readFanOut: ReadFanOut;
  readonly readDelivery: ReadDelivery;
};

/** A planned delivery; `stored` is `null` until the intake has stored it. */
export type AwaitedDelivery = {
  readonly id: string;
  readonly webhookId: string;
  readonly stored: Delivery | null;
};

export type Awaited = {
  /** `null` when the intake did not accept the message in time. */
  readonly fanOut: FanOut | null;
  /** The deliveries as last read: ended, unless the time was over first. */
  readonly deliveries: readonly AwaitedDelivery[];
};

/** Milliseconds between two looks: short at first, when most deliveries end, and rare in a long wait. */
const pause = { min: 50, max: 1_000, share: 0.1 };

/**
 * Waits until all deliveries of the event about a subject have ended, or until a time.
 *
 * @param until epoch milliseconds
 */
export function awaitDeliveries(deps: Deps) {
  return async (customerId: string, subjectId: string, until: number): Promise<Awaited> => {
    const startedAt = deps.now();
    let seen: Awaited = { fanOut: null, deliveries: [] };
    for (;;) {
      seen = await look(deps, customerId, subjectId, seen);
      const now = deps.now();
      if ((seen.fanOut !== null && seen.deliveries.every(hasEnded)) || now >= until) return seen;
      const rest = Math.min(pause.max, Math.max(pause.min, (now - startedAt) * pause.share));
      await deps.wait(Math.ceil(Math.min(rest, until - now)));
    }
  };
}

export function hasEnded({ stored }: AwaitedDelivery): boolean {
  return stored !== null && stored.status !== 'pending';
}

async function look(deps: Deps, customerId: string, subjectId: string, before: Awaited): Promise<Awaited> {
  const fanOut = before.fanOut ?? (await deps.readFanOut(customerId, subjectId));
  if (fanOut === null) return before;
  const known = before.fanOut === null ? fanOut.deliveries.map(unread) : before.deliveries;
  const deliveries = await Promise.all(
    known.map(async (delivery) => {
      if (hasEnded(delivery)) return delivery;
      const { id, webhookId } = delivery;
      return { id, webhookId, stored: await deps.readDelivery({ customerId, webhookId, id }) };
    }),
  );
  return { fanOut, deliveries };
}

function unread({ deliveryId, webhookId }: FanOut['deliveries'][number]): AwaitedDelivery {
  return { id: deliveryId, webhookId, stored: null };
}
