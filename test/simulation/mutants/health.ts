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
