import type { Health } from '#shared/domain/endpoint-health.ts';
import { overlappingScripts } from '../scripts.ts';
import { mutants, reading } from './mutant.ts';

const marks = (before: Health, after: Health) => before.failingSince === null && after.failingSince !== null;
const clears = (before: Health, after: Health) => marks(after, before);

/** Mistakes in the health of endpoints. */
export const healthMutants = mutants({
  anEndpointFailsFromItsFirstFailureOn: {
    'failing endpoint not marked': ({ storeHealth }) => ({
      storeHealth: async (endpoint, before, after, notice) =>
        marks(before, after) || storeHealth(endpoint, before, after, notice),
    }),
  },
  aDeliveredEventEndsTheFailing: {
    'failing without an end': ({ storeHealth }) => ({
      storeHealth: async (endpoint, before, after, notice) =>
        clears(before, after) || storeHealth(endpoint, before, after, notice),
    }),
  },
  anEndpointFailsSinceTheEndOfADeliveryThatFailed: {
    'failing from the first failed attempt': ({ recordAttempt, storeHealth, now }) => ({
      recordAttempt: async (attempt) => {
        const { customerId, webhookId: id } = attempt.key;
        const healthy = { failingSince: null, recoveredAt: null, failureStreak: null };
        if (attempt.transition.status === 'pending')
          await storeHealth({ customerId, id }, healthy, { ...healthy, failingSince: now() });
        return recordAttempt(attempt);
      },
    }),
  },
  eachNoticeThatIsDueIsSent: {
    'notice not stored with the change': ({ storeHealth }) => ({
      storeHealth: (endpoint, before, after) => storeHealth(endpoint, before, after),
    }),
  },
  eachNoticeIsAboutAChangeAndHasItsId: {
    'notice sent before the change': ({ sendNotice, storeHealth, readLiveEndpoint }) => ({
      storeHealth: async (endpoint, before, after, notice) => {
        const current = await readLiveEndpoint(endpoint.customerId, endpoint.id);
        if (current !== null && notice !== undefined) await sendNotice(current, { ...notice, deliveredShare: null });
        return storeHealth(endpoint, before, after);
      },
    }),
  },
  theOperatorIsToldWhenAnEndpointKeepsFailing: {
    'failures in a row not counted': ({ storeHealth }) => ({
      storeHealth: (endpoint, before, after) =>
        storeHealth(endpoint, before, { ...after, failureStreak: before.failureStreak }),
    }),
  },
  aNoticeFollowsFailuresInARow: {
    'notice of the first failure': () => ({ noticeAfter: 1 }),
  },
  theFirstFailureCountsUntilTheEndpointRecovers: {
    'failing since the last failure': ({ readLiveEndpoint }, { table }, { io }) => ({
      readLiveEndpoint: async (customerId, webhookId) => {
        const endpoint = await readLiveEndpoint(customerId, webhookId);
        return endpoint === null ? null : { ...endpoint, failingSince: null };
      },
      storeHealth: ({ customerId, id }, _, after) =>
        io({ service: 'table', name: 'store health' }, () => {
          const live = table.liveEndpoint(customerId, id);
          if (live === null) return false;
          table.putLiveEndpoint({ ...live, failingSince: after.failingSince });
          return true;
        }),
    }),
  },
});

/** Mistakes in the health of endpoints whose outcomes overlap. */
export const overlapMutants = mutants(
  {
    failuresAreToldAtMostOnceAnHour: {
      'time of the last notice forgotten': reading((endpoint) => ({
        ...endpoint,
        failureStreak: endpoint.failureStreak && { ...endpoint.failureStreak, toldAt: null },
      })),
    },
    theDeliveryThatEndedLastDecidesTheHealth: {
      'health judged by the first read of a batch': ({ readLiveEndpoint }) => {
        const first = new Map<string, Pick<Health, 'failingSince' | 'recoveredAt'>>();
        return {
          readLiveEndpoint: async (customerId, webhookId, onSent) => {
            const endpoint = await readLiveEndpoint(customerId, webhookId, onSent);
            if (endpoint === null) return null;
            const { failingSince, recoveredAt } = first.get(webhookId) ?? endpoint;
            first.set(webhookId, { failingSince, recoveredAt });
            return { ...endpoint, failingSince, recoveredAt };
          },
        };
      },
    },
  },
  overlappingScripts,
);
