import { mutants } from './mutant.ts';

/** Mistakes in how attempts change their lane. */
export const laneMutants = mutants({
  'everyPendingDeliveryWillBeWoken or everyDeliveryEnds': {
    'passed on without sending': ({ passOn }) => ({ passOn: passOn === null ? null : async () => [] }),
    'message deleted before its copy is sent': ({ passOn }) => ({
      passOn:
        passOn === null
          ? null
          : async (due) => {
              passOn(due).catch(() => {});
              return [];
            },
    }),
    'refusal by the slow queue ignored': ({ enqueueSlowAttempts, passOn }) => {
      const enqueueAll: typeof enqueueSlowAttempts = async (due) => {
        await enqueueSlowAttempts(due);
        return [];
      };
      return { enqueueSlowAttempts: enqueueAll, passOn: passOn === null ? null : enqueueAll };
    },
  },
  theSlowLanePassesNothingOn: {
    'slow lane passes back': ({ enqueueAttempts }, _world, { name }) =>
      name === 'deliverSlow' ? { passOn: enqueueAttempts } : {},
  },
  aMarkedEndpointIsNotAttemptedInTheOrdinaryLane: {
    'marked endpoint attempted at once': () => ({ passOn: null }),
  },
  anEndpointIsMarkedWhileAnAttemptWaits: {
    'no mark': () => ({ markSlow: async () => false }),
    'mark only after the attempt': ({ postEvent, after }) => {
      const late: (() => void)[] = [];
      return {
        after: (milliseconds, run) => after(milliseconds, () => void late.push(run)),
        postEvent: async (request) => {
          const result = await postEvent(request);
          for (const run of late.splice(0)) run();
          return result;
        },
      };
    },
  },
  aQuickEndpointLosesItsMark: {
    'mark without an end': () => ({ clearSlow: async () => false }),
  },
  anEndpointIsMarkedAtMostOnceAMinute: {
    'mark cleared at once': ({ readLiveEndpoint, clearSlow }, { table }) => ({
      readLiveEndpoint: async (customerId, webhookId) => {
        const endpoint = await readLiveEndpoint(customerId, webhookId);
        return endpoint === null || endpoint.slowSince === null ? endpoint : { ...endpoint, slowSince: 0 };
      },
      clearSlow: async (endpoint) => {
        const live = table.liveEndpoint(endpoint.customerId, endpoint.id);
        return live === null ? false : clearSlow(live);
      },
    }),
  },
  slotsMatchTheLiveEndpoints: {
    'mark written over a deletion': (_ports, { table }, { io }) => ({
      markSlow: (endpoint, since) =>
        io({ service: 'table', name: 'mark slow' }, () => {
          table.putLiveEndpoint({ ...endpoint, slowSince: since });
          return true;
        }),
    }),
  },
  'anOverlapIsNeverCutShort or aShownSecretVerifiesFromThenOn': {
    'mark that puts an earlier secret back': (_ports, { table }, { io }) => ({
      markSlow: (endpoint, since) =>
        io({ service: 'table', name: 'mark slow' }, () => {
          if (table.liveEndpoint(endpoint.customerId, endpoint.id) === null) return false;
          table.putLiveEndpoint({ ...endpoint, slowSince: since });
          return true;
        }),
    }),
  },
});
