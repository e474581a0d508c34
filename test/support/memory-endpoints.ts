import type { Endpoint } from '../../shared/domain/endpoint.ts';
import type { ListLiveEndpoints, ReadEndpoint, ReadLiveEndpoint } from '../../shared/operations/ports.ts';

/** Endpoints in memory. An eventual read may lag: it answers what `lag` was last told. */
export type MemoryEndpoints = {
  readonly put: (endpoint: Endpoint) => void;
  readonly get: (id: string) => Endpoint | undefined;
  /** Eventual reads answer as of now from here on. */
  readonly freezeEventualReads: () => void;
  /** Every read of a live endpoint, as `<id> <consistency>`. */
  readonly reads: readonly string[];
  readonly readEndpoint: ReadEndpoint;
  readonly readLiveEndpoint: ReadLiveEndpoint;
  readonly listLiveEndpoints: ListLiveEndpoints;
};

export function memoryEndpoints(...given: readonly Endpoint[]): MemoryEndpoints {
  const stored = new Map(given.map((endpoint) => [endpoint.id, endpoint]));
  const reads: string[] = [];
  let lagging: ReadonlyMap<string, Endpoint> = stored;
  const own = (endpoint: Endpoint | undefined, customerId: string): Endpoint | null =>
    endpoint?.customerId === customerId ? endpoint : null;
  return {
    reads,
    put: (endpoint) => void stored.set(endpoint.id, endpoint),
    get: (id) => stored.get(id),
    freezeEventualReads: () => {
      lagging = new Map(stored);
    },
    readEndpoint: async (customerId, webhookId) => own(stored.get(webhookId), customerId),
    readLiveEndpoint: async (customerId, webhookId, consistency) => {
      reads.push(`${webhookId} ${consistency}`);
      const seen = consistency === 'strong' ? stored : lagging;
      const endpoint = own(seen.get(webhookId), customerId);
      return endpoint?.status === 'deleted' ? null : endpoint;
    },
    listLiveEndpoints: async (customerId) =>
      [...stored.values()]
        .filter((endpoint) => endpoint.customerId === customerId && endpoint.status !== 'deleted')
        .sort((one, other) => (one.id < other.id ? 1 : -1)),
  };
}
