import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import type { PortPatch } from '../world/ports.ts';
import { mutants } from './mutant.ts';

/** Changes how attempts are put on the slow queue, or only how the ordinary lane passes them on to it. */
function toTheSlowQueue(
  change: (enqueue: EnqueueAttempts) => EnqueueAttempts,
  isChanged = (_name: string) => true,
): PortPatch {
  return ({ enqueueAttempts }, _backend, { name }) => ({
    enqueueAttempts: (due, lane) =>
      lane === 'slow' && isChanged(name) ? change(enqueueAttempts)(due, lane) : enqueueAttempts(due, lane),
  });
}
const passingOn = (name: string) => name === 'deliver';

/** Mistakes in how attempts change their lane. */
export const laneMutants = mutants({
  'everyPendingDeliveryWillBeWoken or everyDeliveryEnds': {
    'passed on without sending': toTheSlowQueue(() => async () => [], passingOn),
    'message deleted before its copy is sent': toTheSlowQueue(
      (enqueue) => async (due, lane) => {
        enqueue(due, lane).catch(() => {});
        return [];
      },
      passingOn,
    ),
    'refusal by the slow queue ignored': toTheSlowQueue((enqueue) => async (due, lane) => {
      await enqueue(due, lane);
      return [];
    }),
  },
  theSlowLanePassesNothingOn: {
    'slow lane passes back': ({ enqueueAttempts }, _world, { name }) =>
      name === 'deliverSlow' ? { lane: 'ordinary', enqueueAttempts: (due) => enqueueAttempts(due, 'ordinary') } : {},
  },
  aMarkedEndpointIsNotAttemptedInTheOrdinaryLane: {
    'marked endpoint attempted at once': () => ({ lane: 'slow' }),
  },
  anEndpointIsMarkedWhileAnAttemptWaits: {
    'no mark': () => ({ markSlow: async () => false }),
    'mark only after the attempt': ({ postEvent }) => ({
      postEvent: async (request) => {
        const late: (() => void)[] = [];
        const result = await postEvent({
          ...request,
          onSlow: () => void late.push(() => request.onSlow?.()),
        });
        for (const run of late) run();
        return result;
      },
    }),
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
