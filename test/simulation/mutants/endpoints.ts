import type { Endpoint } from '#shared/domain/endpoint.ts';
import { deletedScripts } from '../scripts.ts';
import { mutants, reading, remembering } from './mutant.ts';

const cacheFor = 5 * 60_000;

/** Mistakes in what is kept of endpoints, their slots and their secrets. */
export const endpointMutants = mutants({
  noPostBeginsAfterADeletionWasAnswered: {
    'cache of a deleted endpoint': remembering(() => {
      const cache = new Map<string, { readonly endpoint: Endpoint; readonly until: number }>();
      return ({ readLiveEndpoint, now }) => ({
        readLiveEndpoint: async (customerId, webhookId) => {
          const kept = cache.get(webhookId);
          if (kept !== undefined && kept.until > now()) return kept.endpoint;
          const endpoint = await readLiveEndpoint(customerId, webhookId);
          if (endpoint !== null) cache.set(webhookId, { endpoint, until: now() + cacheFor });
          return endpoint;
        },
      });
    }),
    'endpoint read from a copy that lags': (_ports, { table }, { io }) => ({
      readLiveEndpoint: (customerId, webhookId) =>
        io({ service: 'table', name: 'read a copy' }, (staleness) =>
          table.liveEndpoint(customerId, webhookId, 1_000 + staleness),
        ),
    }),
    'endpoint read only before the connection': ({ postEvent }) => ({
      postEvent: async (request) => {
        const headers = await request.headers();
        return postEvent({ ...request, headers: async () => headers });
      },
    }),
    'deletion answered without the wait': () => ({ wait: async () => {} }),
  },
  'noPostBeginsAfterADeletionWasAnswered or aShownSecretVerifiesFromThenOn': {
    'age of a read by the time of day': ({ now }) => ({ monotonic: now }),
  },
  aShownSecretVerifiesFromThenOn: {
    'rotation answered without the wait': () => ({ wait: async () => {} }),
  },
  aDeletionIsAnsweredAsADeletion: {
    'transactions without a request token': { sendsTokens: false },
  },
  slotsMatchTheLiveEndpoints: {
    'slot freed twice': ({ readLiveEndpoint }, { table }, { io }) => ({
      deleteEndpoint: async (customerId, webhookId, at) => {
        const endpoint = await readLiveEndpoint(customerId, webhookId);
        if (endpoint === null) return false;
        return io({ service: 'table', name: 'delete endpoint' }, () => {
          const { slots } = table.holdingsOf(customerId);
          // As with a counter that goes down, any other slot is freed.
          const freed = slots.has(webhookId) ? webhookId : [...slots][0];
          table.putTombstone(
            endpoint,
            at,
            [...slots].filter((slot) => slot !== freed),
          );
          return true;
        });
      },
    }),
    'activation of a deleted endpoint': ({ readEndpoint }, { table }, { io }) => ({
      activateEndpoint: async (customerId, webhookId, at) => {
        const endpoint = await readEndpoint(customerId, webhookId);
        if (endpoint === null) return null;
        return io({ service: 'table', name: 'activate' }, () => {
          table.putLiveEndpoint({ ...endpoint, status: 'active', activatedAt: at });
          return at;
        });
      },
    }),
  },
  aTombstoneShowsTheLastStateOfItsEndpoint: {
    'tombstone copied from an earlier read': ({ readLiveEndpoint }, { table }, { io }) => ({
      deleteEndpoint: async (customerId, webhookId, at) => {
        const endpoint = await readLiveEndpoint(customerId, webhookId);
        if (endpoint === null) return false;
        return io({ service: 'table', name: 'delete endpoint' }, () => {
          if (table.liveEndpoint(customerId, webhookId) === null) return false;
          table.putTombstone(endpoint, at);
          return true;
        });
      },
    }),
  },
  aCustomerNeverHoldsMoreThanFiveEndpoints: {
    'slots counted before they are taken': (_ports, { table }, { io }) => ({
      reserveEndpoint: async (endpoint, handshake) => {
        const { customerId } = endpoint;
        const taken = await io({ service: 'table', name: 'count' }, () => table.holdingsOf(customerId).slots);
        if (taken.size >= 5) return 'limit_reached';
        return io({ service: 'table', name: 'reserve' }, () => {
          table.addEndpoint(endpoint);
          table.putDelivery(handshake, handshake.claim?.leaseUntil ?? endpoint.createdAt);
          return 'reserved';
        });
      },
    }),
  },
  anOverlapIsNeverCutShort: {
    'rotation within an overlap': (_ports, { table }, { io }) => ({
      replaceSecret: ({ customerId, webhookId, secret, secretPrefix, overlapEnd }) =>
        io({ service: 'table', name: 'rotate' }, () => {
          const endpoint = table.liveEndpoint(customerId, webhookId);
          if (endpoint?.status !== 'active') return { rotated: false, endpoint };
          const previous = { previousSecret: endpoint.secret, previousSecretExpiresAt: overlapEnd };
          const rotated = { ...endpoint, ...previous, secret, secretPrefix };
          table.putLiveEndpoint(rotated);
          return { rotated: true, endpoint: rotated };
        }),
    }),
  },
  aPostIsSignedWithTheValidSecrets: {
    'expired secret still signs': reading((endpoint) =>
      endpoint.previousSecretExpiresAt === null
        ? endpoint
        : { ...endpoint, previousSecretExpiresAt: Number.MAX_SAFE_INTEGER },
    ),
    'previous secret dropped at once': reading((endpoint) => ({ ...endpoint, previousSecret: null })),
  },
});

/** Mistakes at endpoints that are deleted during a burst. */
export const deletionMutants = mutants(
  {
    noConnectionBeginsAfterADeletionWasAnswered: {
      'connection without a look at the endpoint': ({ postEvent }) => ({
        postEvent: ({ mayConnect: _, ...request }) => postEvent(request),
      }),
    },
  },
  deletedScripts,
);
