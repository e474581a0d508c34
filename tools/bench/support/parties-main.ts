/**
 * Process of the Run engine, which sends events, and of all endpoints, which receive them. One clock measures both
 * ends, and the CPU time of neither counts as the service's.
 */
import { answerRequests } from './child.ts';
import { type EndpointServer, type Received, startEndpointServer } from './endpoint-server.ts';
import type { Load } from './load.ts';
import { Arrivals, sendEvents } from './send-events.ts';

const arrivals = new Arrivals();
let server: EndpointServer | undefined;

const handlers = {
  /** @returns the origin of the endpoints */
  listen: async (tls: { readonly key: string; readonly cert: string }): Promise<string> => {
    server = await startEndpointServer(tls, ({ runId, at }) => arrivals.add(runId, at));
    return server.origin;
  },
  play: (load: Load) => sendEvents(load, arrivals),
  received: (): Received => server?.received() ?? { arrivals: [], samples: [] },
};

export type PartiesHandlers = typeof handlers;

answerRequests(handlers);
