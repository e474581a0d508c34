import { isDeepStrictEqual } from 'node:util';
import { mutants, remembering } from './mutant.ts';

/** Mistakes in what wakes deliveries: queues, schedules and the sweep. */
export const waitingMutants = mutants({
  'anEndedDeliveryNeverChanges or attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack or theLogOnlyGrowsAndHasOneEntryForEachAttempt':
    {
      'sweep without a condition': (_ports, { table }, { io }) => ({
        deferDue: async (overdue, until) => {
          const read = () => table.delivery(overdue)?.delivery ?? null;
          const delivery = await io({ service: 'table', name: 'read' }, read);
          if (delivery?.status !== 'pending') return null;
          await io({ service: 'table', name: 'write back' }, () => table.putDelivery(delivery, until));
          return delivery;
        },
      }),
    },
  aRetryIsPlannedOnceFromTheEndOfTheLastAttempt: {
    'retry counted from the sweep': ({ deferDue, now }, { table }, { io }) => ({
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
    }),
  },
  everyDeliveryEnds: {
    'no sweep': () => ({ listOverdue: async () => ({ overdue: [], next: null }) }),
    'audit that only counts': () => ({ markDue: async () => true }),
    'audit that forgets deleted endpoints': ({ listLiveEndpoints }) => ({
      listEndpointsSince: listLiveEndpoints,
    }),
  },
  everyPendingDeliveryWillBeWoken: {
    'refusal by the queue ignored': ({ enqueueAttempts }) => ({
      enqueueAttempts: async (due, lane) => {
        const refused = await enqueueAttempts(due, lane);
        return lane === 'ordinary' ? [] : refused;
      },
    }),
    'failures left out of the batch response': { respond: () => ({ batchItemFailures: [] }) },
  },
  retriesAreOnTimeWhenNothingFails: {
    'one schedule for all attempts': remembering(() => {
      const scheduled = new Set<string>();
      return ({ scheduleAttempt }) => ({
        scheduleAttempt: async (due, at, lane) => {
          if (scheduled.has(due.key.id)) return;
          scheduled.add(due.key.id);
          await scheduleAttempt(due, at, lane);
        },
      });
    }),
  },
  oneFunctionHoldsAMessageAtATime: {
    'visibility shorter than the attempt': { visibility: 5_000 },
  },
});
