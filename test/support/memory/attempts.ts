import { isDeepStrictEqual } from 'node:util';
import { type Delivery, recorded, withoutClaim } from '#shared/domain/delivery.ts';
import type {
  CancelDelivery,
  ClaimAttempt,
  RecordAttempt,
  RecordedAttempt,
  ReleaseAttempt,
} from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function claimAttempt(table: MemoryTable, io: Io): ClaimAttempt {
  return (key, attempt, { fencingToken, leaseUntil, latestDue }) =>
    io({ service: 'table', name: `claim ${attempt}` }, () => {
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
    });
}

export function releaseAttempt(table: MemoryTable, io: Io): ReleaseAttempt {
  return (key, _attempt, fencingToken) =>
    io({ service: 'table', name: 'release' }, () => {
      const row = table.delivery(key);
      if (row === null || !isHeldBy(row.delivery, fencingToken)) return false;
      table.putDelivery(withoutClaim(row.delivery), row.dueAt);
      return true;
    });
}

export function recordAttempt(table: MemoryTable, io: Io): RecordAttempt {
  return (asked) =>
    io({ service: 'table', name: `record ${asked.entry.outcome}` }, () => {
      const delivery = table.delivery(asked.key)?.delivery ?? null;
      if (delivery === null) return false;
      if (!isHeldBy(delivery, asked.fencingToken)) return alreadyRecorded(delivery, asked);
      const after = recorded(delivery, asked.entry, asked.transition);
      table.putDelivery(after, after.retryAt);
      return true;
    });
}

export function cancelDelivery(table: MemoryTable, io: Io): CancelDelivery {
  return (key, reason, at) =>
    io({ service: 'table', name: 'cancel' }, () => {
      const delivery = table.delivery(key)?.delivery ?? null;
      if (delivery?.status !== 'pending') return 'ended';
      const isFree = delivery.claim === null || delivery.claim.leaseUntil <= at;
      if (!isFree) return 'in_flight';
      const ended = { status: 'failed', claim: null, retryAt: null, endedAt: at, cancelled: reason } as const;
      table.putDelivery({ ...delivery, ...ended }, null);
      return 'cancelled';
    });
}

function isHeldBy(delivery: Delivery, fencingToken: string): boolean {
  return delivery.status === 'pending' && delivery.claim?.fencingToken === fencingToken;
}

function alreadyRecorded(delivery: Delivery, { attempt, entry }: RecordedAttempt): boolean {
  return isDeepStrictEqual(delivery.log[attempt - 1], entry);
}
