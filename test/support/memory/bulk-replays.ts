import { isSelected } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Retention } from '#shared/domain/retention.ts';
import { hasExpired } from './deliveries.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

/** Each page reads this number of selected deliveries, so that tests have more than one. */
const pageReads = 120;

export function bulkReplayPorts(table: MemoryTable, ask: AskTable, retention: Retention) {
  const readBulkReplay: TableNeeds['readBulkReplay'] = (key) =>
    ask('read bulk replay', () => table.bulkReplay(key)?.job ?? null);
  return {
    readRunningReplay: (customerId, webhookId) =>
      ask('read running replay', () => table.running.get(`${customerId}#${webhookId}`) ?? null),

    readBulkReplay,

    readBulkReplays: (customerId, webhookId, { after, limit }) =>
      ask('read bulk replays', () => {
        const found = [...table.bulkReplays.values()]
          .map(({ job }) => job)
          .filter((job) => job.customerId === customerId && job.webhookId === webhookId)
          .filter(({ id }) => after === null || id.slice(4) < after)
          .sort((one, other) => (one.id < other.id ? 1 : -1));
        const rows = found.slice(0, limit);
        return { rows, next: found.length > limit ? (rows.at(-1)?.id.slice(4) ?? null) : null };
      }),

    storeBulkReplay: (job) => {
      const place = `${job.customerId}#${job.webhookId}`;
      const store = (): boolean => {
        if (table.running.has(place)) return false;
        table.running.set(place, job.id);
        table.putBulkReplay(job, null);
        return true;
      };
      return ask('store bulk replay', store, { token: job.id, done: true });
    },

    claimReplayStep: ({ key, step }, { now, leaseUntil }) =>
      ask('claim step', () => {
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
      }),

    advanceReplay: ({ key, step }, { replayed, skipped, cursor }) =>
      ask('advance replay', () => {
        const { job } = table.bulkReplay(key) ?? {};
        if (job?.step !== step) return false;
        table.putBulkReplay({ ...job, replayed, skipped, cursor, step: step + 1 }, null);
        return true;
      }),

    /** A transaction, then a read. */
    endBulkReplay: async (key, end) => {
      const { status, at } = end;
      const store = (): boolean => {
        const { job, leaseUntil = null } = table.bulkReplay(key) ?? {};
        if (job?.status !== 'running') return false;
        const { replayed, skipped, cursor } = end.status === 'completed' ? end.progress : job;
        const cancelReason = end.status === 'cancelled' ? end.reason : null;
        table.running.delete(`${job.customerId}#${job.webhookId}`);
        const ended = { ...job, replayed, skipped, cursor, status, cancelReason, endedAt: at };
        table.putBulkReplay(ended, status === 'cancelled' ? leaseUntil : null);
        return true;
      };
      await ask('end bulk replay', store, { done: true });
      const job = await readBulkReplay(key);
      return { ended: job?.status === status && job.endedAt === at, job };
    },

    readReplayable: ({ customerId, id: webhookId }, { selection }, { after }) =>
      ask('read replayable', (staleness) => {
        const found = table
          .deliveriesAsOf(staleness)
          .filter((delivery) => !hasExpired(delivery, retention))
          .filter((delivery) => delivery.customerId === customerId && delivery.webhookId === webhookId)
          .filter((delivery) => isSelected(delivery, selection) && (after === null || delivery.id > after))
          .sort((one, other) => (one.id < other.id ? -1 : 1));
        const deliveries = found.slice(0, pageReads);
        const next = found.length > pageReads ? (deliveries.at(-1)?.id ?? null) : null;
        return { deliveries, next };
      }),

    /** What is missing is read again, so that only the status can be old. */
    readReplayStates: ({ customerId, id: webhookId }, ids) =>
      ask('read replay states', (staleness) => {
        const isAsked = (each: Delivery) =>
          each.customerId === customerId && each.webhookId === webhookId && ids.includes(each.id);
        const stale = table.deliveriesAsOf(staleness).filter(isAsked);
        const isMissing = ({ id }: Delivery) => stale.every((each) => each.id !== id);
        const fresh = table.deliveriesAsOf(0).filter(isAsked).filter(isMissing);
        return [...stale, ...fresh].filter((delivery) => !hasExpired(delivery, retention));
      }),

    listEventReplays: ({ customerId, id: webhookId }, eventId) =>
      ask('list event replays', () =>
        table
          .deliveriesAsOf(0)
          .filter((each) => each.customerId === customerId && each.webhookId === webhookId)
          .filter(({ event, replayOf }) => event.id === eventId && replayOf !== null)
          .map(({ id }) => id),
      ),
  } satisfies Partial<TableNeeds>;
}
