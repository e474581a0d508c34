import { toOwedText } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { limits } from '#shared/contract/limits.ts';
import { type Endpoint, initialState } from '#shared/domain/endpoint.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

const tries = 12;

export function endpointPorts(table: MemoryTable, ask: AskTable) {
  const readLiveEndpoint: TableNeeds['readLiveEndpoint'] = (customerId, webhookId) =>
    ask('read endpoint', () => table.liveEndpoint(customerId, webhookId));
  return {
    reserveEndpoint: (endpoint, handshake) => {
      const reserve = () => {
        const { slots } = table.holdingsOf(endpoint.customerId);
        if (table.liveEndpoint(endpoint.customerId, endpoint.id) !== null) return 'exists';
        if (slots.size >= limits.endpointsPerCustomer) return 'limit_reached';
        slots.add(endpoint.id);
        table.putLiveEndpoint(endpoint);
        table.putDelivery(handshake, handshake.claim?.leaseUntil ?? endpoint.createdAt);
        return 'reserved';
      };
      const content = handshake.claim?.fencingToken ?? '';
      return ask('reserve', reserve, { token: endpoint.id, done: 'reserved', content, differs: 'exists' });
    },

    activateEndpoint: (customerId, webhookId, at) =>
      ask('activate', () => {
        const endpoint = table.liveEndpoint(customerId, webhookId);
        if (endpoint?.status !== 'failed') return endpoint?.activatedAt ?? null;
        table.putLiveEndpoint({ ...endpoint, status: 'active', activatedAt: at });
        return at;
      }),

    /** A read, then a transaction that requires the endpoint to be unchanged; both are repeated when it is not. */
    deleteEndpoint: async (customerId, webhookId, at) => {
      for (let attempt = 1; attempt <= tries; attempt += 1) {
        const asRead = await readLiveEndpoint(customerId, webhookId);
        if (asRead === null) return false;
        const turn = (): boolean => {
          const live = table.liveEndpoint(customerId, webhookId);
          const isSame =
            live?.status === asRead.status && live.deliveryPartitions === asRead.deliveryPartitions;
          if (isSame) putTombstone(table, asRead, at);
          return isSame;
        };
        if (await ask('delete endpoint', turn, { done: true })) return true;
      }
      throw new Error(`Cannot delete endpoint ${webhookId}: it changed during each of ${tries} tries`);
    },

    readLiveEndpoint,

    /** Two reads, because the table keeps tombstones apart: a deletion may come between them. */
    readEndpoint: async (customerId, webhookId) => {
      const live = await readLiveEndpoint(customerId, webhookId);
      if (live !== null) return live;
      return ask('read tombstone', () => table.holdingsOf(customerId).tombstones.get(webhookId) ?? null);
    },

    listLiveEndpoints: (customerId) =>
      ask('list endpoints', () =>
        [...table.liveEndpoints(customerId)].sort((one, other) => (one.id < other.id ? 1 : -1)),
      ),

    replaceSecret: ({ customerId, webhookId, secret, secretPrefix, overlapEnd, at }) =>
      ask('rotate', () => {
        const endpoint = table.liveEndpoint(customerId, webhookId);
        if (endpoint?.status !== 'active' || (endpoint.previousSecretExpiresAt ?? at) > at) {
          return endpoint?.secret === secret ? { rotated: true, endpoint } : { rotated: false, endpoint };
        }
        const previous = { previousSecret: endpoint.secret, previousSecretExpiresAt: overlapEnd };
        const rotated = { ...endpoint, ...previous, secret, secretPrefix };
        table.putLiveEndpoint(rotated);
        return { rotated: true, endpoint: rotated };
      }),

    raisePartitions: (customerId, webhookId, partitions) =>
      ask('raise partitions', () => {
        const endpoint = table.liveEndpoint(customerId, webhookId);
        if (endpoint === null || endpoint.deliveryPartitions >= partitions) return endpoint;
        const raised = { ...endpoint, deliveryPartitions: partitions };
        table.putLiveEndpoint(raised);
        return raised;
      }),

    noteLastDelivery: ({ customerId, id }, at) =>
      ask('note last delivery', () => {
        const live = table.liveEndpoint(customerId, id);
        if (live === null || (live.lastDeliveryAt !== null && live.lastDeliveryAt >= at)) return;
        table.putLiveEndpoint({ ...live, lastDeliveryAt: at });
      }),

    markSlow: ({ customerId, id }, since) =>
      ask('mark slow', () => {
        const live = table.liveEndpoint(customerId, id);
        if (live === null || live.slowSince !== null) return false;
        table.putLiveEndpoint({ ...live, slowSince: since });
        return true;
      }),

    clearSlow: ({ customerId, id, slowSince }) =>
      ask('clear slow', () => {
        const live = table.liveEndpoint(customerId, id);
        if (live === null || live.slowSince !== slowSince) return false;
        table.putLiveEndpoint({ ...live, slowSince: null, slowPace: null });
        table.turns.delete(id);
        return true;
      }),

    takeTurn: ({ customerId, id }, now, until) =>
      ask('take turn', () => {
        const live = table.liveEndpoint(customerId, id);
        if (live === null || live.slowSince === null || (table.turns.get(id) ?? now) > now) return false;
        table.turns.set(id, until);
        return true;
      }),

    notePace: ({ customerId, id }, pace, youngest) =>
      ask('note pace', () => {
        const live = table.liveEndpoint(customerId, id);
        if (live === null || live.slowSince === null) return false;
        const noted = live.slowPace;
        const fastest = Number.isFinite(pace.window.fastestMs) ? pace.window.fastestMs : 0;
        const isBetter =
          noted?.isAnswering === true && (noted.notedAt > youngest || noted.window.fastestMs < fastest);
        if (isBetter) return false;
        table.putLiveEndpoint({ ...live, slowPace: pace });
        return true;
      }),

    storeHealth: ({ customerId, id }, before, after, notice) =>
      ask('store health', () => {
        const live = table.liveEndpoint(customerId, id);
        if (live?.failingSince !== before.failingSince || live.recoveredAt !== before.recoveredAt)
          return false;
        const isCounted = after.failureStreak !== before.failureStreak;
        if (isCounted && live.failureStreak?.version !== before.failureStreak?.version) return false;
        const { failingSince, recoveredAt } = after;
        const failureStreak = isCounted ? after.failureStreak : live.failureStreak;
        table.putLiveEndpoint({ ...live, failingSince, recoveredAt, failureStreak, ...owing(live, notice) });
        return true;
      }),

    settleNotices: ({ customerId, id }, notices) =>
      ask('settle notices', () => {
        const live = table.liveEndpoint(customerId, id);
        const settled = new Set(notices.map(toOwedText));
        const owedNotices = live?.owedNotices.filter((owed) => !settled.has(toOwedText(owed))) ?? [];
        if (live !== null) table.putLiveEndpoint({ ...live, owedNotices });
      }),
  } satisfies Partial<TableNeeds>;
}

function owing({ owedNotices }: Endpoint, notice?: OwedNotice): Pick<Endpoint, 'owedNotices'> {
  return { owedNotices: notice === undefined ? owedNotices : [...owedNotices, notice] };
}

export function putTombstone(table: MemoryTable, endpoint: Endpoint, at: number): void {
  const { customerId, id } = endpoint;
  const { tombstones, deletedAt, slots } = table.holdingsOf(customerId);
  tombstones.set(id, tombstoneOf(endpoint));
  deletedAt.set(id, at);
  slots.delete(id);
  table.removeLiveEndpoint(customerId, id);
}

/** The endpoint as it was read, without its secrets. */
export function tombstoneOf(endpoint: Endpoint): Endpoint {
  const noSecrets = { secret: '', previousSecret: null, previousSecretExpiresAt: null };
  return { ...endpoint, ...noSecrets, ...initialState, status: 'deleted' };
}
