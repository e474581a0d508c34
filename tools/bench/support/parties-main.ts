/**
 * Process of the Run engine, which sends events, and of all endpoints, which receive them. One clock measures both
 * ends, and the CPU time of neither counts as the service's.
 */
import { Arrivals } from './arrivals.ts';
import { answerRequests } from './child.ts';
import { type EndpointServer, startEndpointServer } from './endpoint-server.ts';
import type { Load } from './load.ts';
import { sendEvents } from './send-events.ts';

/** A request to this process. */
export type PartiesRequest =
  | { readonly kind: 'listen'; readonly key: string; readonly cert: string }
  | { readonly kind: 'play'; readonly load: Load }
  | { readonly kind: 'received' };

const arrivals = new Arrivals();
let server: EndpointServer | undefined;

answerRequests(async (request: PartiesRequest): Promise<unknown> => {
  switch (request.kind) {
    case 'listen':
      server = await startEndpointServer(request, ({ runId, at }) => arrivals.add(runId, at));
      return server.origin;
    case 'play':
      return await sendEvents(request.load, arrivals);
    case 'received':
      return server?.received();
  }
});
