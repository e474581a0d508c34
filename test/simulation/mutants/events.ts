import type { storeChangeReport } from '#shared/aws/table/results/trackers.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { eventScripts } from '../scripts.ts';
import { mutants, remembering } from './mutant.ts';

type ReportRow = Awaited<ReturnType<typeof storeChangeReport>>;

/** Mistakes in how events become deliveries, and deliveries replays. */
export const eventMutants = mutants({
  oneOccurrenceMakesOneEvent: {
    'random event id, fan-out not stored': ({ storeSettledRun, randomBytes, now }, { table }, { io }) => ({
      storeSettledRunWithFanOut: async (customerId, run, planned) => {
        const settled = await storeSettledRun(customerId, run);
        const fanOut = { ...planned, eventId: makeId('event', now(), randomBytes(10)) };
        await io({ service: 'table', name: 'fan out' }, () => table.tellFanOut(customerId, run.id, fanOut));
        return { run: settled, fanOut };
      },
    }),
    'report identified by its id and its time': remembering(() => {
      const reports = new Map<string, ReportRow>();
      return (_ports, { table }, { io }) => ({
        storeChangeReport: (customerId, { trackerId, report, run }, fanOut) =>
          io({ service: 'table', name: 'store report with fan-out' }, () => {
            const name = `${customerId} ${report.id} ${report.created_at}`;
            const told = reports.get(name) ?? { trackerId, run, fanOut };
            if (!reports.has(name)) table.tellFanOut(customerId, report.id, fanOut);
            reports.set(name, told);
            return told;
          }),
      });
    }),
  },
  everyEndpointOfAnEventGetsOneDelivery: {
    'delivery ids that collide': ({ storeSettledRunWithFanOut }) => ({
      storeSettledRunWithFanOut: (customerId, run, planned) => {
        const id = deliveryId(planned.acceptedAt, digest(planned.eventId), 1);
        const deliveries = planned.deliveries.map((delivery) => ({ ...delivery, deliveryId: id }));
        return storeSettledRunWithFanOut(customerId, run, { ...planned, deliveries });
      },
    }),
  },
  'attemptsRiseByOneAndFallOnlyWhenAClaimIsGivenBack or onlyItsWorkerGivesAClaimBack': {
    'delivery stored without a condition': (_ports, { table }, { io }) => ({
      storeDelivery: (delivery, dueAt) =>
        io({ service: 'table', name: 'store delivery' }, () => {
          table.putDelivery(delivery, dueAt);
          return delivery;
        }),
    }),
  },
  garbageBecomesADeadLetterWithItsReason: {
    'reason not cut beside a large message': { reasonBeside: (_body, reason) => reason },
  },
  everyActiveEndpointGetsAnEventAndNoOther: {
    'event sent to failed endpoints': ({ listListeners }) => ({
      listListeners: async (customerId) => {
        const endpoints = await listListeners(customerId);
        return endpoints.map((endpoint) => ({ ...endpoint, status: 'active' as const }));
      },
    }),
  },
  everyPendingDeliveryWillBeWoken: {
    'attempts of a repeated event not queued again': ({ storeDelivery }, { table }) => ({
      storeDelivery: async (delivery, dueAt) => {
        const isKnown = table.delivery(delivery) !== null;
        const stored = await storeDelivery(delivery, dueAt);
        return isKnown ? { ...stored, status: 'delivered' as const } : stored;
      },
    }),
    'replay without a place in the waiting index': ({ storeReplay }, { table }) => ({
      storeReplay: async (replay, dueAt, only) => {
        const stored = await storeReplay(replay, dueAt, only);
        table.putDelivery(replay, null);
        return stored;
      },
    }),
  },
  anEventHasTheSameBytesEverywhere: {
    'body re-serialised by storage': ({ claimAttempt }) => ({
      claimAttempt: async (key, attempt, claim) => {
        const taken = await claimAttempt(key, attempt, claim);
        if (!taken.claimed || attempt === 1) return taken;
        const members = Object.entries(JSON.parse(taken.delivery.body)).reverse();
        return {
          ...taken,
          delivery: { ...taken.delivery, body: JSON.stringify(Object.fromEntries(members)) },
        };
      },
    }),
  },
  everyAcceptedReplayMakesOneDelivery: {
    'second replay dropped': ({ storeReplay }, { table }) => ({
      storeReplay: async (replay, dueAt, only) => {
        const isReplayed = [...table.deliveries].some((row) => row.delivery.replayOf === replay.replayOf);
        return isReplayed ? true : storeReplay(replay, dueAt, only);
      },
    }),
  },
  onlyAnEndedDeliveryIsReplayedAndItsBytesAreKept: {
    'pending delivery replayed': ({ readDelivery }) => ({
      readDelivery: async (key) => {
        const delivery = await readDelivery(key);
        return delivery === null ? null : { ...delivery, status: 'failed' as const };
      },
    }),
  },
  anExpiredDeliveryIsNotReplayed: {
    'expired delivery served': (_ports, { table }, { io }) => ({
      readDelivery: (key) =>
        io({ service: 'table', name: 'read delivery' }, () => table.delivery(key)?.delivery ?? null),
    }),
  },
});

/** A message is repeated under another release in few stories of other kinds. */
export const repeatedEventMutants = mutants(
  {
    anEventHasTheSameBytesEverywhere: {
      'event serialised again for each endpoint': ({ storeDelivery }) => ({
        storeDelivery: async (delivery, dueAt) => ({
          ...(await storeDelivery(delivery, dueAt)),
          body: delivery.body,
        }),
      }),
    },
  },
  eventScripts,
);
