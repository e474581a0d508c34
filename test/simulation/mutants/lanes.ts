import { type Mutant, patched } from './mutant.ts';

/** The promises that a message which is lost between the lanes breaks. */
const lost = ['everyPendingDeliveryWillBeWoken', 'everyDeliveryEnds'];

/** The promises that a write of an earlier read of an endpoint breaks. */
const overwrittenRotation = ['anOverlapIsNeverCutShort', 'aShownSecretVerifiesFromThenOn'];

/** Mistakes in how attempts change their lane. */
export const laneMutants: readonly Mutant[] = [
  patched('passed on without sending', lost, () => {
    return ({ passOn }) => ({ passOn: passOn === null ? null : async () => [] });
  }),
  patched('message deleted before its copy is sent', lost, () => {
    return ({ passOn }) => ({
      passOn:
        passOn === null
          ? null
          : async (due) => {
              passOn(due).catch(() => {});
              return [];
            },
    });
  }),
  patched('refusal by the slow queue ignored', lost, () => {
    return ({ enqueueSlowAttempts, passOn }) => {
      const enqueueAll: typeof enqueueSlowAttempts = async (due) => {
        await enqueueSlowAttempts(due);
        return [];
      };
      return { enqueueSlowAttempts: enqueueAll, passOn: passOn === null ? null : enqueueAll };
    };
  }),
  patched('slow lane passes back', 'everyDeliveryEnds', () => {
    return ({ enqueueAttempts }, _backend, { name }) =>
      name === 'deliverSlow' ? { passOn: enqueueAttempts } : {};
  }),
  patched('marked endpoint attempted at once', 'aMarkedEndpointIsNotAttemptedInTheOrdinaryLane', () => {
    return () => ({ passOn: null });
  }),
  patched('no mark', 'anEndpointIsMarkedWhileAnAttemptWaits', () => {
    return () => ({ markSlow: async () => false });
  }),
  patched('mark only after the attempt', 'anEndpointIsMarkedWhileAnAttemptWaits', () => {
    return ({ postEvent, after }) => {
      const late: (() => void)[] = [];
      return {
        after: (milliseconds, run) => after(milliseconds, () => void late.push(run)),
        postEvent: async (request) => {
          const result = await postEvent(request);
          for (const run of late.splice(0)) run();
          return result;
        },
      };
    };
  }),
  patched('mark without an end', 'aQuickEndpointLosesItsMark', () => {
    return () => ({ clearSlow: async () => false });
  }),
  patched('mark cleared at once', 'anEndpointIsMarkedAtMostOnceAMinute', () => {
    return ({ readLiveEndpoint, clearSlow }, { table }) => ({
      readLiveEndpoint: async (customerId, webhookId) => {
        const endpoint = await readLiveEndpoint(customerId, webhookId);
        return endpoint === null || endpoint.slowSince === null ? endpoint : { ...endpoint, slowSince: 0 };
      },
      clearSlow: async (endpoint) => {
        const live = table.liveEndpoint(endpoint.customerId, endpoint.id);
        return live === null ? false : clearSlow(live);
      },
    });
  }),
  patched('mark written over a deletion', 'slotsMatchTheLiveEndpoints', () => {
    return (_ports, { table }, { io }) => ({
      markSlow: (endpoint, since) =>
        io({ service: 'table', name: 'mark slow' }, () => {
          table.putLiveEndpoint({ ...endpoint, slowSince: since });
          return true;
        }),
    });
  }),
  patched('mark that puts an earlier secret back', overwrittenRotation, () => {
    return (_ports, { table }, { io }) => ({
      markSlow: (endpoint, since) =>
        io({ service: 'table', name: 'mark slow' }, () => {
          if (table.liveEndpoint(endpoint.customerId, endpoint.id) === null) return false;
          table.putLiveEndpoint({ ...endpoint, slowSince: since });
          return true;
        }),
    });
  }),
];
