import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { fewAtOnce } from './few-at-once.ts';

/**
 * Reads the fan-out of the event about a subject, a Run or a Change Report; `null` until the subject has an event.
 * Strongly consistent.
 */
export type ReadFanOut = (customerId: string, subjectId: string) => Promise<FanOut | null>;

type Deps = Pick<Needs, 'now' | 'wait'> & {
  readonly readFanOut: ReadFanOut;
  readonly readDelivery: (key: DeliveryKey) => Promise<Delivery | null>;
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

/** What a wait has seen of each subject, in their order. `fault`: why it ended early, if it could not look any more. */
export type EndedWait = { readonly seen: readonly Awaited[]; readonly fault: unknown };

/** Looks in a row that may fail before a wait ends early. */
const failedLooks = 5;

/** Milliseconds between two looks: short at first, when most deliveries end, and rare in a long wait. */
const pause = { min: 50, max: 1_000, share: 0.1 };

/** Subjects that are looked at together. */
const atOnce = 16;

/**
 * Waits until all deliveries of the events about some subjects have ended, or until a time. A look that fails is made
 * again.
 *
 * @param subjectIds each only once
 * @param until epoch milliseconds
 * @param onLook called with what was seen, whenever all have been looked at
 */
export function awaitDeliveries(deps: Deps) {
  return async (
    customerId: string,
    subjectIds: readonly string[],
    until: number,
    onLook: (seen: readonly Awaited[]) => void = () => {},
  ): Promise<EndedWait> => {
    const startedAt = deps.now();
    const seen = new Map<string, Awaited>(subjectIds.map((id) => [id, { fanOut: null, deliveries: [] }]));
    let failures: readonly unknown[] = [];
    for (;;) {
      const open = [...seen].filter(([, each]) => !isOver(each));
      try {
        await fewAtOnce(open, atOnce, async ([id, before]) => {
          seen.set(id, await look(deps, customerId, id, before));
        });
        failures = [];
      } catch (cause) {
        failures = [...failures, cause];
      }
      const all = [...seen.values()];
      onLook(all);
      const now = deps.now();
      const isDone = failures.length === 0 && all.every(isOver);
      if (isDone || now >= until || failures.length === failedLooks) return { seen: all, fault: failures[0] ?? null };
      const rest = Math.min(pause.max, Math.max(pause.min, (now - startedAt) * pause.share));
      await deps.wait(Math.ceil(Math.min(rest, until - now)));
    }
  };
}

/** Whether the event was accepted and all its deliveries have ended. */
export function isOver({ fanOut, deliveries }: Awaited): boolean {
  return fanOut !== null && deliveries.every(hasEnded);
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
