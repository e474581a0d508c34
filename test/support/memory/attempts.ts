import { isDeepStrictEqual } from 'node:util';
import { type Delivery, recorded, withoutClaim } from '#shared/domain/delivery.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

export function attemptPorts(table: MemoryTable, ask: AskTable) {
  return {
    claimAttempt: (key, attempt, { fencingToken, leaseUntil, latestDue }) =>
      ask(`claim ${attempt}`, () => {
        const row = table.delivery(key);
        if (row === null) return { claimed: false, delivery: null };
        const { delivery } = row;
        const isNext = delivery.status === 'pending' && delivery.attempts === attempt - 1;
        const isDue = delivery.retryAt === null || delivery.retryAt <= latestDue;
        if (isNext && delivery.claim === null && isDue) {
          const claimed = { ...delivery, attempts: attempt, claim: { fencingToken, leaseUntil } };
          table.putDelivery(claimed, row.dueAt);
          return { claimed: true, delivery: claimed };
        }
        return { claimed: delivery.claim?.fencingToken === fencingToken, delivery };
      }),

    releaseAttempt: (key, attempt, fencingToken) =>
      ask('release', () => {
        const row = table.delivery(key);
        if (row === null || !isHeldBy(row.delivery, fencingToken)) return false;
        table.putDelivery({ ...withoutClaim(row.delivery), attempts: attempt - 1 }, row.dueAt);
        return true;
      }),

    recordAttempt: ({ key, attempt, fencingToken, entry, transition }) =>
      ask(`record ${entry.outcome}`, () => {
        const delivery = table.delivery(key)?.delivery ?? null;
        if (delivery === null) return false;
        const isRecorded = isDeepStrictEqual(delivery.log[attempt - 1], entry);
        if (!isHeldBy(delivery, fencingToken)) return isRecorded;
        const after = recorded(delivery, entry, transition);
        table.putDelivery(after, after.retryAt);
        return true;
      }),

    cancelDelivery: (key, reason, at) =>
      ask('cancel', () => {
        const delivery = table.delivery(key)?.delivery ?? null;
        if (delivery?.status !== 'pending') return 'ended';
        if (delivery.claim !== null && delivery.claim.leaseUntil > at) return 'in_flight';
        const ended = {
          status: 'failed',
          claim: null,
          retryAt: null,
          endedAt: at,
          cancelled: reason,
        } as const;
        table.putDelivery({ ...delivery, ...ended }, null);
        return 'cancelled';
      }),
  } satisfies Partial<TableNeeds>;
}

function isHeldBy(delivery: Delivery, fencingToken: string): boolean {
  return delivery.status === 'pending' && delivery.claim?.fencingToken === fencingToken;
}
