/**
 * Process of the Run engine, which sends events, and of all endpoints, which receive them. One clock measures both
 * ends, and the CPU time of neither counts as the service's.
 */
import { Arrivals } from './arrivals.ts';
import { type EndpointServer, startEndpointServer } from './endpoint-server.ts';
import type { Load, PlayedEvent } from './load.ts';
import { type PartiesRequest, requestSchema } from './parties-messages.ts';
import { sendEvents } from './send-events.ts';

const arrivals = new Arrivals();
let server: EndpointServer | undefined;

process.on('message', async (message) => {
  const { id, request } = requestSchema.parse(message);
  try {
    process.send?.({ id, answer: { value: (await answer(request)) ?? null } });
  } catch (error) {
    process.send?.({ id, answer: { error: error instanceof Error ? error.message : String(error) } });
  }
});
process.on('disconnect', () => process.exit());

async function answer(request: PartiesRequest): Promise<unknown> {
  switch (request.kind) {
    case 'listen':
      server = await startEndpointServer(request, ({ runId, at }) => arrivals.add(runId, at));
      return server.origin;
    case 'play':
      return await play(request.load);
    case 'received':
      return { arrivals: server?.arrivals() ?? [], samples: server?.samples() ?? [] };
  }
}

async function play(load: Load): Promise<readonly PlayedEvent[]> {
  const sent = await sendEvents(load, (runId) => arrivals.all([runId], load.patienceMs));
  const runIds = sent.map(({ runId }) => runId);
  await arrivals.all(runIds, load.patienceMs);
  return sent.map((event) => ({ ...event, arrivedAt: arrivals.at(event.runId) }));
}
