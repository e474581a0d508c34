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
  return (key, attempt, { token, leaseUntil, latestDue }) =>
    io({ service: 'table', name: `claim ${attempt}` }, () => {
      const row = table.delivery(key);
      if (row === null) return { claimed: false, delivery: null };
      const { delivery } = row;
      const isNext = delivery.status === 'pending' && delivery.attempts === attempt - 1;
      const isDue = delivery.retryAt === null || delivery.retryAt <= latestDue;
      if (isNext && delivery.claim === null && isDue) {
        const claimed = { ...delivery, attempts: attempt, claim: { token, leaseUntil } };
        table.putDelivery(claimed, row.wakeAt);
        return { claimed: true, delivery: claimed };
      }
      return { claimed: delivery.claim?.token === token, delivery };
    });
}

export function releaseAttempt(table: MemoryTable, io: Io): ReleaseAttempt {
  return (key, _attempt, token) =>
    io({ service: 'table', name: 'release' }, () => {
      const row = table.delivery(key);
      if (row === null || !isHeldBy(row.delivery, token)) return false;
      table.putDelivery(withoutClaim(row.delivery), row.wakeAt);
      return true;
    });
}

export function recordAttempt(table: MemoryTable, io: Io): RecordAttempt {
  return (asked) =>
    io({ service: 'table', name: `record ${asked.entry.outcome}` }, () => {
      const delivery = table.delivery(asked.key)?.delivery ?? null;
      if (delivery === null) return false;
      if (!isHeldBy(delivery, asked.token)) return alreadyRecorded(delivery, asked);
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

function isHeldBy(delivery: Delivery, token: string): boolean {
  return delivery.status === 'pending' && delivery.claim?.token === token;
}

function alreadyRecorded(delivery: Delivery, { attempt, entry }: RecordedAttempt): boolean {
  return isDeepStrictEqual(delivery.log[attempt - 1], entry);
}
