import { type BulkReplay, type BulkReplayKey, isSelected } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type {
  AdvanceReplay,
  ClaimReplayStep,
  EndBulkReplay,
  ReadBulkReplay,
  ReadBulkReplays,
  ReadRunningReplay,
  StoreBulkReplay,
} from '#shared/operations/replays/ports.ts';
import type { ReadReplayable } from '#shared/operations/replays/replayable.ts';
import { hasExpired, keeping } from './deliveries.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

const service = 'table';

export function readRunningReplay(table: MemoryTable, io: Io): ReadRunningReplay {
  return (customerId, webhookId) =>
    io(
      { service, name: 'read running replay' },
      () => table.running.get(`${customerId}#${webhookId}`) ?? null,
    );
}

export function readBulkReplay(table: MemoryTable, io: Io): ReadBulkReplay {
  return (key) => io({ service, name: 'read bulk replay' }, () => jobOf(table, key));
}

export function readBulkReplays(table: MemoryTable, io: Io): ReadBulkReplays {
  return (customerId, webhookId, { after, limit }) =>
    io({ service, name: 'read bulk replays' }, () => {
      const found = [...table.bulkReplays.values()]
        .map(({ job }) => job)
        .filter((job) => job.customerId === customerId && job.webhookId === webhookId)
        .filter(({ id }) => after === null || id.slice(4) < after)
        .sort((one, other) => (one.id < other.id ? 1 : -1));
      const rows = found.slice(0, limit);
      return { rows, next: found.length > limit ? (rows.at(-1)?.id.slice(4) ?? null) : null };
    });
}

export function storeBulkReplay(table: MemoryTable, io: Io): StoreBulkReplay {
  return (job) =>
    io({ service, name: 'store bulk replay', transaction: { token: job.id, done: true } }, () => {
      const place = `${job.customerId}#${job.webhookId}`;
      if (table.running.has(place)) return false;
      table.running.set(place, job.id);
      table.putBulkReplay(job, null);
      return true;
    });
}

export function claimReplayStep(table: MemoryTable, io: Io): ClaimReplayStep {
  return ({ key, step }, { now, leaseUntil }) =>
    io({ service, name: 'claim step' }, () => {
      const row = table.bulkReplay(key);
      if (row === null) return { claimed: false, job: null, heldUntil: null };
      const { job, leaseUntil: held } = row;
      // The client retries a write whose response was lost: a claim that ends at this time was made by this call.
      if (held === leaseUntil) return { claimed: true, job };
      const isFree = held === null || held <= now;
      if (job.status !== 'running' || job.step !== step || !isFree)
        return { claimed: false, job, heldUntil: held };
      table.putBulkReplay(job, leaseUntil, now);
      return { claimed: true, job };
    });
}

export function advanceReplay(table: MemoryTable, io: Io): AdvanceReplay {
  return ({ key, step }, { replayed, skipped, cursor }) =>
    io({ service, name: 'advance replay' }, () => {
      const job = jobOf(table, key);
      if (job === null || job.step !== step) return false;
      table.putBulkReplay({ ...job, replayed, skipped, cursor, step: step + 1 }, null);
      return true;
    });
}

/** A transaction, then a read. */
export function endBulkReplay(table: MemoryTable, io: Io): EndBulkReplay {
  return async (key, end) => {
    await io({ service, name: 'end bulk replay', transaction: { done: true } }, () => {
      const { job, leaseUntil = null } = table.bulkReplay(key) ?? {};
      if (job?.status !== 'running') return false;
      const { replayed, skipped, cursor } = end.status === 'completed' ? end.progress : job;
      const cancelReason = end.status === 'cancelled' ? end.reason : null;
      table.running.delete(`${job.customerId}#${job.webhookId}`);
      const ended = { status: end.status, cancelReason, endedAt: end.at };
      table.putBulkReplay(
        { ...job, replayed, skipped, cursor, ...ended },
        end.status === 'cancelled' ? leaseUntil : null,
      );
      return true;
    });
    const job = await readBulkReplay(table, io)(key);
    return { ended: job?.status === end.status && job.endedAt === end.at, job };
  };
}

/** Each page reads this number of selected deliveries, so that tests have more than one. */
const pageReads = 120;

export function readReplayable(table: MemoryTable, io: Io, retention = keeping): ReadReplayable {
  return ({ customerId, id: webhookId }, selection, { after, limit, isOwn }) =>
    io({ service, name: 'read replayable' }, (staleness) => {
      const found = table
        .deliveriesAsOf(staleness)
        .filter((delivery) => !hasExpired(delivery, retention))
        .filter((delivery) => delivery.customerId === customerId && delivery.webhookId === webhookId)
        .filter((delivery) => isSelected(delivery, selection) && (after === null || delivery.id > after))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
      const read = found.slice(0, pageReads);
      const isLeftOut = ({ id, replayedBy }: Delivery) => replayedBy !== null && !isOwn(id, replayedBy);
      const deliveries = read.filter((delivery) => !isLeftOut(delivery)).slice(0, limit);
      const end = (deliveries.length < limit ? read : deliveries).at(-1)?.id ?? '';
      return {
        deliveries,
        replayedEarlier: read
          .filter((delivery) => isLeftOut(delivery) && delivery.id <= end)
          .map(({ id }) => id),
        next: found.some(({ id }) => id > end) ? end : null,
      };
    });
}

function jobOf(table: MemoryTable, key: BulkReplayKey): BulkReplay | null {
  return table.bulkReplay(key)?.job ?? null;
}
