import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { ListLiveEndpoints, ReadEndpoint, ReadLiveEndpoint } from '#shared/operations/ports.ts';

/** Endpoints in memory. */
export type MemoryEndpoints = {
  readonly put: (endpoint: Endpoint) => void;
  readonly get: (id: string) => Endpoint | undefined;
  /** The id of each live endpoint that was read. */
  readonly reads: readonly string[];
  readonly readEndpoint: ReadEndpoint;
  readonly readLiveEndpoint: ReadLiveEndpoint;
  readonly listLiveEndpoints: ListLiveEndpoints;
};

export function memoryEndpoints(...given: readonly Endpoint[]): MemoryEndpoints {
  const stored = new Map(given.map((endpoint) => [endpoint.id, endpoint]));
  const reads: string[] = [];
  const own = (endpoint: Endpoint | undefined, customerId: string): Endpoint | null =>
    endpoint?.customerId === customerId ? endpoint : null;
  return {
    reads,
    put: (endpoint) => void stored.set(endpoint.id, endpoint),
    get: (id) => stored.get(id),
    readEndpoint: async (customerId, webhookId) => own(stored.get(webhookId), customerId),
    readLiveEndpoint: async (customerId, webhookId) => {
      reads.push(webhookId);
      const endpoint = own(stored.get(webhookId), customerId);
      return endpoint?.status === 'deleted' ? null : endpoint;
    },
    listLiveEndpoints: async (customerId) =>
      [...stored.values()]
        .filter((endpoint) => endpoint.customerId === customerId && endpoint.status !== 'deleted')
        .sort((one, other) => (one.id < other.id ? 1 : -1)),
  };
}
