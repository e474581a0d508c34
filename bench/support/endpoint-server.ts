import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { listenOnLoopback, readBody } from '../../local/servers/loopback-server.ts';
import { sharedNow } from './clock.ts';

const maxBodyBytes = 64 * 1024;
const bodySchema = z.object({ type: z.string(), run_id: z.string().optional() });

/** One POST that arrived, without handshakes. */
export type Arrival = {
  /** Path of the endpoint without the slash. */
  readonly endpoint: string;
  readonly runId: string;
  /** `sharedNow()` when the whole body was there. */
  readonly at: number;
};

/** A POST that is kept whole, so that its signature can be checked. */
export type Sample = {
  readonly endpoint: string;
  readonly signature: string;
  readonly bodyBase64: string;
  /** Unix seconds. */
  readonly arrivedAt: number;
};

export type EndpointServer = {
  readonly origin: string;
  readonly arrivals: () => readonly Arrival[];
  readonly samples: () => readonly Sample[];
  readonly close: () => Promise<void>;
};

type State = {
  readonly arrivals: Arrival[];
  readonly samples: Sample[];
  readonly onArrival: (arrival: Arrival) => void;
};

/** One POST in this many is kept whole. */
const sampleEvery = 50;

/**
 * Starts an https server that answers as every endpoint of a benchmark. The query of the endpoint's URL says how:
 * nothing means 200 at once, `?status=500` that status, `?after_ms=5000` an answer after five seconds, `?silent` never.
 * Handshakes get 200 at once.
 */
export async function startEndpointServer(
  tls: { readonly key: string; readonly cert: string },
  onArrival: State['onArrival'],
): Promise<EndpointServer> {
  const state: State = { arrivals: [], samples: [], onArrival };
  const server = createServer({ key: tls.key, cert: tls.cert }, (request, response) => {
    receive(state, request, response).catch(() => response.destroy());
  });
  const listening = await listenOnLoopback(server, 0);
  return {
    origin: `https://localhost:${listening.port}`,
    arrivals: () => state.arrivals,
    samples: () => state.samples,
    close: () => listening.close(),
  };
}

async function receive(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, maxBodyBytes);
  const at = sharedNow();
  const { type, run_id: runId } = bodySchema.parse(JSON.parse(body.toString()));
  let status = 200;
  if (type !== 'webhook.test' && runId !== undefined) {
    const url = new URL(request.url ?? '/', 'https://localhost');
    const endpoint = url.pathname.slice(1);
    const arrival = { endpoint, runId, at };
    if (state.arrivals.push(arrival) % sampleEvery === 1) {
      const signature = String(request.headers['x-service-signature']);
      const arrivedAt = Date.now() / 1_000;
      state.samples.push({ endpoint, signature, bodyBase64: body.toString('base64'), arrivedAt });
    }
    state.onArrival(arrival);
    status = Number(url.searchParams.get('status') ?? status);
    if (!(await wait(url.searchParams, response))) return;
  }
  response.writeHead(status).end();
}

/** Waits as the query says. `false` when the sender closed the connection first, for example after its timeout. */
async function wait(query: URLSearchParams, response: ServerResponse): Promise<boolean> {
  const waitMs = query.has('silent') ? 2 ** 31 - 1 : Number(query.get('after_ms') ?? 0);
  if (waitMs === 0) return true;
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return await sleep(waitMs, true, { signal: closed.signal }).catch(() => false);
}
