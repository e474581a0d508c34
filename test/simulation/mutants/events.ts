import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { type Mutant, patched } from './mutant.ts';

/** The promises that a delivery breaks when it begins again: its attempts fall, although none was given back. */
const storedAnew = [
  'attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack',
  'onlyItsWorkerGivesAClaimBackAndOnlyIfNothingWasSent',
];

/** Mistakes in how events become deliveries, and deliveries replays. */
export const eventMutants: readonly Mutant[] = [
  patched('random event id, fan-out not stored', 'oneOccurrenceMakesOneEvent', () => {
    return ({ storeSettledRun, randomBytes, now }, { table }, { io }) => ({
      storeSettledRunWithFanOut: async (customerId, run, planned) => {
        const settled = await storeSettledRun(customerId, run);
        const fanOut = { ...planned, eventId: makeId('event', now(), randomBytes(10)) };
        await io({ service: 'table', name: 'fan out' }, () => table.putFanOut(customerId, run.id, fanOut));
        return { run: settled, fanOut };
      },
    });
  }),
  patched('delivery ids that collide', 'everyEndpointOfAnEventGetsOneDelivery', () => {
    return ({ storeSettledRunWithFanOut }) => ({
      storeSettledRunWithFanOut: (customerId, run, planned) => {
        const id = deliveryId(planned.acceptedAt, digest(planned.eventId), 1);
        const deliveries = planned.deliveries.map((delivery) => ({ ...delivery, deliveryId: id }));
        return storeSettledRunWithFanOut(customerId, run, { ...planned, deliveries });
      },
    });
  }),
  patched('delivery stored without a condition', storedAnew, () => {
    return (_ports, { table }, { io }) => ({
      storeDelivery: (delivery, dueAt) =>
        io({ service: 'table', name: 'store delivery' }, () => {
          table.putDelivery(delivery, dueAt);
          return delivery;
        }),
    });
  }),
  patched('report identified by its id and its time', 'oneOccurrenceMakesOneEvent', () => {
    return (_ports, { table }, { io }) => ({
      storeChangeReport: (customerId, { trackerId, report, run }, fanOut) =>
        io({ service: 'table', name: 'store report with fan-out' }, () => {
          const name = `${customerId} ${report.id} ${report.created_at}`;
          const told = table.reports.get(name) ?? { trackerId, run, fanOut };
          if (!table.reports.has(name)) table.putFanOut(customerId, report.id, fanOut);
          table.reports.set(name, told);
          return told;
        }),
    });
  }),
  {
    name: 'reason not cut beside a large message',
    breaks: ['garbageBecomesADeadLetterWithItsReason'],
    options: () => ({ reasonBeside: (_body, reason) => reason }),
  },
  patched('event sent to failed endpoints', 'everyActiveEndpointGetsAnEventAndNoOther', () => {
    return ({ listLiveEndpoints }) => ({
      listLiveEndpoints: async (customerId) => {
        const endpoints = await listLiveEndpoints(customerId);
        return endpoints.map((endpoint) => ({ ...endpoint, status: 'active' as const }));
      },
    });
  }),
  patched('attempts of a repeated event not queued again', 'everyPendingDeliveryWillBeWoken', () => {
    return ({ storeDelivery }, { table }) => ({
      storeDelivery: async (delivery, dueAt) => {
        const isKnown = table.delivery(delivery) !== null;
        const stored = await storeDelivery(delivery, dueAt);
        return isKnown ? { ...stored, status: 'delivered' as const } : stored;
      },
    });
  }),
  patched('event serialised again for each endpoint', 'anEventHasTheSameBytesEverywhere', () => {
    return ({ storeDelivery }) => ({
      storeDelivery: async (delivery, dueAt) => ({
        ...(await storeDelivery(delivery, dueAt)),
        body: delivery.body,
      }),
    });
  }),
  patched('second replay dropped', 'everyAcceptedReplayMakesOneDelivery', () => {
    return ({ storeReplay }, { table }) => ({
      storeReplay: async (replay, dueAt, only) => {
        const isReplayed = [...table.deliveries].some((row) => row.delivery.replayOf === replay.replayOf);
        return isReplayed ? true : storeReplay(replay, dueAt, only);
      },
    });
  }),
  patched('replay without a place in the waiting index', 'everyPendingDeliveryWillBeWoken', () => {
    return ({ storeReplay }, { table }) => ({
      storeReplay: async (replay, dueAt, only) => {
        const stored = await storeReplay(replay, dueAt, only);
        table.putDelivery(replay, null);
        return stored;
      },
    });
  }),
  patched('pending delivery replayed', 'onlyAnEndedDeliveryIsReplayedAndItsBytesAreKept', () => {
    return ({ readDelivery }) => ({
      readDelivery: async (key) => {
        const delivery = await readDelivery(key);
        return delivery === null ? null : { ...delivery, status: 'failed' as const };
      },
    });
  }),
  patched('expired delivery served', 'anExpiredDeliveryIsNotReplayed', () => {
    return (_ports, { table }, { io }) => ({
      readDelivery: (key) =>
        io({ service: 'table', name: 'read delivery' }, () => table.delivery(key)?.delivery ?? null),
    });
  }),
  patched('body re-serialised by storage', 'anEventHasTheSameBytesEverywhere', () => {
    return ({ claimAttempt }) => ({
      claimAttempt: async (key, attempt, claim) => {
        const taken = await claimAttempt(key, attempt, claim);
        if (!taken.claimed || attempt === 1) return taken;
        const members = Object.entries(JSON.parse(taken.delivery.body)).reverse();
        return {
          ...taken,
          delivery: { ...taken.delivery, body: JSON.stringify(Object.fromEntries(members)) },
        };
      },
    });
  }),
];
