import { mutants } from './mutant.ts';

/** Mistakes in the health of endpoints. */
export const healthMutants = mutants({
  anEndpointFailsFromItsFirstFailureOn: {
    'failing endpoint not marked': () => ({ markFailing: async () => false }),
  },
  aDeliveredEventEndsTheFailing: {
    'failing without an end': () => ({ clearFailing: async () => false }),
  },
  anEndpointFailsSinceTheEndOfADeliveryThatFailed: {
    'failing from the first failed attempt': ({ recordAttempt, markFailing, now }) => ({
      recordAttempt: async (attempt) => {
        const { customerId, webhookId: id } = attempt.key;
        if (attempt.transition.status === 'pending') await markFailing({ customerId, id }, now());
        return recordAttempt(attempt);
      },
    }),
  },
  eachChangeOfHealthIsAnnounced: {
    'notice not stored with the change': ({ markFailing }) => ({
      markFailing: (endpoint, at) => markFailing(endpoint, at),
    }),
  },
  eachNoticeIsAboutAChangeAndHasItsId: {
    'notice sent before the change': ({ sendNotice, markFailing, readLiveEndpoint }) => ({
      markFailing: async (endpoint, at, notice) => {
        const current = await readLiveEndpoint(endpoint.customerId, endpoint.id);
        if (current !== null && notice !== undefined)
          await sendNotice(current, { ...notice, deliveredShare: null });
        return markFailing(endpoint, at);
      },
    }),
  },
  theFirstFailureCountsUntilTheEndpointRecovers: {
    'failing since the last failure': ({ readLiveEndpoint }, { table }, { io }) => ({
      readLiveEndpoint: async (customerId, webhookId) => {
        const endpoint = await readLiveEndpoint(customerId, webhookId);
        return endpoint === null ? null : { ...endpoint, failingSince: null };
      },
      markFailing: ({ customerId, id }, at) =>
        io({ service: 'table', name: 'mark failing' }, () => {
          const live = table.liveEndpoint(customerId, id);
          if (live === null) return false;
          table.putLiveEndpoint({ ...live, failingSince: at });
          return true;
        }),
    }),
  },
});
