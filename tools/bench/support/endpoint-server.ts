import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { listenOnLoopback, readBody } from '../../local/servers/loopback-server.ts';
import { sharedNow } from './load.ts';

const maxBodyBytes = 64 * 1024;
const bodySchema = z.object({ type: z.string(), run_id: z.string().optional() });

/** One POST that arrived, without handshakes. */
export type Arrival = {
  /** Path of the endpoint's URL without the slash. */
  readonly customer: string;
  readonly runId: string;
  /** `sharedNow()` when the whole body was there. */
  readonly at: number;
  /** Whether it came as the first request of a connection. */
  readonly isFirst: boolean;
};

/** A POST that is kept whole, so that its signature can be checked. */
export type Sample = {
  readonly customer: string;
  readonly signature: string;
  readonly bodyBase64: string;
  /** Unix seconds. */
  readonly arrivedAt: number;
};

export type Received = { readonly arrivals: readonly Arrival[]; readonly samples: readonly Sample[] };

export type EndpointServer = { readonly origin: string; readonly received: () => Received };

type State = {
  readonly arrivals: Arrival[];
  readonly samples: Sample[];
  readonly connections: WeakSet<object>;
  readonly onArrival: (arrival: Arrival) => void;
};

/** One POST in this many is kept whole. */
const sampleEvery = 50;

/**
 * Starts an https server that answers as every endpoint of a benchmark. The query of the endpoint's URL says how:
 * nothing means 200 at once, `?status=500` that status, `?after_ms=5000` after five seconds, `?silent` never, `?drops`
 * that the connection ends. Handshakes get 200 at once.
 */
export async function startEndpointServer(
  tls: { readonly key: string; readonly cert: string },
  onArrival: State['onArrival'],
): Promise<EndpointServer> {
  const state: State = { arrivals: [], samples: [], connections: new WeakSet(), onArrival };
  const server = createServer({ key: tls.key, cert: tls.cert }, (request, response) => {
    receive(state, request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server, 0);
  return { origin: `https://localhost:${listening.port}`, received: () => state };
}

async function receive(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, maxBodyBytes);
  const at = sharedNow();
  const { type, run_id: runId } = bodySchema.parse(JSON.parse(body.toString()));
  const isFirst = !state.connections.has(request.socket);
  state.connections.add(request.socket);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
  if (type !== 'webhook.test' && runId !== undefined) {
    const customer = pathname.slice(1);
    const arrival = { customer, runId, at, isFirst };
    if (state.arrivals.push(arrival) % sampleEvery === 1) {
      const signature = String(request.headers['x-service-signature']);
      const arrivedAt = Date.now() / 1_000;
      state.samples.push({ customer, signature, bodyBase64: body.toString('base64'), arrivedAt });
    }
    state.onArrival(arrival);
    // The sender gives up.
    if (searchParams.has('silent')) return;
    if (searchParams.has('drops')) return void request.socket.destroy();
    await sleep(Number(searchParams.get('after_ms') ?? 0));
    response.statusCode = Number(searchParams.get('status') ?? 200);
  }
  // A request on a kept connection that ends is made again.
  if (searchParams.has('drops')) response.setHeader('Connection', 'close');
  response.end();
}
