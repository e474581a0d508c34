import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { listenOnLoopback, readBody } from '../../local/servers/loopback-server.ts';
import { slowMs } from './scenario.ts';

const maxBodyBytes = 64 * 1024;
const eventSchema = z.object({ type: z.string(), run_id: z.string().optional() });

export type BenchReceiver = {
  readonly origin: string;
  /** Arrival of each Run's POST by Run id, in milliseconds of `performance.now()`. Quick endpoints only. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** Maximum concurrent POSTs to the slow endpoint, and their total number. */
  readonly slow: () => { readonly most: number; readonly total: number };
  readonly close: () => Promise<void>;
};

/**
 * Starts a server with all endpoints of the benchmark: `/slow` responds after ten seconds, every other path
 * immediately. It runs in the process that sends the events, so that one clock measures both ends.
 */
export async function startBenchReceiver(tls: {
  readonly key: string;
  readonly cert: string;
}): Promise<BenchReceiver> {
  const arrivals = new Map<string, number>();
  const slow = { held: 0, most: 0, total: 0 };
  const holdSlow = async (response: ServerResponse): Promise<void> => {
    slow.held += 1;
    slow.total += 1;
    slow.most = Math.max(slow.most, slow.held);
    // A sender that times out earlier closes the connection.
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    await sleep(slowMs, undefined, { signal: closed.signal }).catch(() => undefined);
    slow.held -= 1;
  };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, maxBodyBytes);
    const at = performance.now();
    const event = eventSchema.parse(JSON.parse(body.toString()));
    if (event.type !== 'webhook.test' && request.url === '/slow') await holdSlow(response);
    else if (event.run_id !== undefined) arrivals.set(event.run_id, arrivals.get(event.run_id) ?? at);
    response.writeHead(200).end();
  };
  const server = createServer({ key: tls.key, cert: tls.cert }, (request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server, 0);
  return {
    origin: `https://localhost:${listening.port}`,
    arrivals,
    slow: () => ({ most: slow.most, total: slow.total }),
    close: () => listening.close(),
  };
}
