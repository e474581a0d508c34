import { isDeepStrictEqual } from 'node:util';
import { type Mutant, patched } from './mutant.ts';

/** The promises that a write of an earlier read breaks. */
const overwrites = [
  'anEndedDeliveryNeverChanges',
  'attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack',
  'theLogOnlyGrowsAndHasOneEntryForEachAttempt',
];

/** Mistakes in what wakes deliveries: queues, schedules and the sweep. */
export const waitingMutants: readonly Mutant[] = [
  patched('sweep without a condition', overwrites, () => {
    return (_ports, { table }, { io }) => ({
      deferDue: async (overdue, until) => {
        const read = () => table.delivery(overdue)?.delivery ?? null;
        const delivery = await io({ service: 'table', name: 'read' }, read);
        if (delivery?.status !== 'pending') return null;
        await io({ service: 'table', name: 'write back' }, () => table.putDelivery(delivery, until));
        return delivery;
      },
    });
  }),
  patched('retry counted from the sweep', 'aRetryIsPlannedOnceFromTheEndOfTheLastAttempt', () => {
    return ({ deferDue, now }, { table }, { io }) => ({
      deferDue: async (overdue, until) => {
        const delivery = await deferDue(overdue, until);
        if (delivery === null || delivery.claim !== null || delivery.retryAt === null) return delivery;
        const moved = { ...delivery, retryAt: now() + 10 * 60_000 };
        await io({ service: 'table', name: 'move' }, () => {
          const current = table.delivery(delivery)?.delivery;
          if (isDeepStrictEqual(current, delivery)) table.putDelivery(moved, until);
        });
        return moved;
      },
    });
  }),
  patched('no sweep', 'everyDeliveryEnds', () => {
    return () => ({ listOverdue: async () => ({ overdue: [], next: null }) });
  }),
  patched('audit that only counts', 'everyDeliveryEnds', () => {
    return () => ({ markDue: async () => true });
  }),
  patched('audit that forgets deleted endpoints', 'everyDeliveryEnds', () => {
    return ({ listLiveEndpoints }) => ({ listEndpointsSince: listLiveEndpoints });
  }),
  patched('refusal by the queue ignored', 'everyPendingDeliveryWillBeWoken', () => {
    return ({ enqueueAttempts }) => ({
      enqueueAttempts: async (due) => {
        await enqueueAttempts(due);
        return [];
      },
    });
  }),
  patched('one schedule for all attempts', 'retriesAreOnTimeWhenNothingFails', () => {
    const scheduled = new Set<string>();
    return ({ scheduleAttempt }) => ({
      scheduleAttempt: async (due, at, lane) => {
        if (scheduled.has(due.key.id)) return;
        scheduled.add(due.key.id);
        await scheduleAttempt(due, at, lane);
      },
    });
  }),
  {
    name: 'visibility shorter than the attempt',
    breaks: ['oneFunctionHoldsAMessageAtATime'],
    options: () => ({ visibility: 5_000 }),
  },
  {
    name: 'failures left out of the batch response',
    breaks: ['everyPendingDeliveryWillBeWoken'],
    options: () => ({ respond: () => ({ batchItemFailures: [] }) }),
  },
];
