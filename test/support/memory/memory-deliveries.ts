import { type Delivery, type DeliveryKey, judgeMessage, withoutClaim } from '#shared/domain/delivery.ts';
import type {
  CancelDelivery,
  ClaimAttempt,
  ReadDelivery,
  RecordAttempt,
  ReleaseAttempt,
  StoreDelivery,
} from '#shared/operations/ports.ts';

/** Deliveries in memory, with the conditions under which the table would write. */
export type MemoryDeliveries = {
  readonly get: (id: string) => Delivery | undefined;
  readonly all: () => readonly Delivery[];
  readonly put: (delivery: Delivery) => void;
  /** When the sweeper may look after a delivery, as it was stored. */
  readonly wakeAt: ReadonlyMap<string, number | null>;
  readonly readDelivery: ReadDelivery;
  readonly storeDelivery: StoreDelivery;
  readonly claimAttempt: ClaimAttempt;
  readonly releaseAttempt: ReleaseAttempt;
  readonly recordAttempt: RecordAttempt;
  readonly cancelDelivery: CancelDelivery;
};

export function memoryDeliveries(...given: readonly Delivery[]): MemoryDeliveries {
  const stored = new Map(given.map((delivery) => [delivery.id, delivery]));
  const wakeAt = new Map<string, number | null>();
  const find = (key: DeliveryKey): Delivery | null => {
    const delivery = stored.get(key.id);
    const own = delivery?.customerId === key.customerId && delivery.webhookId === key.webhookId;
    return delivery !== undefined && own ? delivery : null;
  };
  return {
    wakeAt,
    get: (id) => stored.get(id),
    all: () => [...stored.values()],
    put: (delivery) => void stored.set(delivery.id, delivery),
    readDelivery: async (key) => find(key),
    storeDelivery: async (delivery, wake) => {
      const known = stored.get(delivery.id);
      if (known !== undefined) return known;
      stored.set(delivery.id, delivery);
      wakeAt.set(delivery.id, wake);
      return delivery;
    },
    ...attempts(stored, find),
  };
}

type Find = (key: DeliveryKey) => Delivery | null;

function attempts(
  stored: Map<string, Delivery>,
  find: Find,
): Pick<MemoryDeliveries, 'claimAttempt' | 'releaseAttempt' | 'recordAttempt' | 'cancelDelivery'> {
  return {
    claimAttempt: async (key, attempt, { token, leaseUntil, latestDue }) => {
      const delivery = find(key);
      if (delivery === null || judgeMessage(delivery, attempt, latestDue, 0) !== 'claimable')
        return { claimed: false, delivery };
      const claimed = { ...delivery, attempts: attempt, claim: { token, leaseUntil } };
      stored.set(key.id, claimed);
      return { claimed: true, delivery: claimed };
    },
    releaseAttempt: async (key, _attempt, token) => {
      const delivery = find(key);
      if (delivery?.status !== 'pending' || delivery.claim?.token !== token) return false;
      stored.set(key.id, withoutClaim(delivery));
      return true;
    },
    recordAttempt: async ({ key, token, entry, transition }) => {
      const delivery = find(key);
      if (delivery?.status !== 'pending' || delivery.claim?.token !== token) return false;
      const waits = transition.status === 'pending';
      stored.set(key.id, {
        ...delivery,
        status: transition.status,
        claim: null,
        retryAt: waits ? transition.retryAt : null,
        endedAt: waits ? null : transition.endedAt,
        lastAttemptAt: entry.at,
        log: [...delivery.log, entry],
      });
      return true;
    },
    cancelDelivery: async (key, reason, at) => {
      const delivery = find(key);
      if (delivery?.status !== 'pending') return 'settled';
      if (delivery.claim !== null && delivery.claim.leaseUntil > at) return 'in_flight';
      stored.set(key.id, {
        ...delivery,
        status: 'failed',
        claim: null,
        retryAt: null,
        endedAt: at,
        cancelled: reason,
      });
      return 'cancelled';
    },
  };
}
