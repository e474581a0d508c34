import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  answerJson,
  type LoopbackServer,
  listenOnLoopback,
  readBody,
} from '../../servers/loopback-server.ts';
import { decideReply } from './behaviour.ts';
import { Inbox, type InboxLimits } from './inbox.ts';

const maxBodyBytes = 4 * 1024 * 1024;
const defaultLimits: InboxLimits = { maxRequests: 10_000, maxBytes: 64 * 1024 * 1024 };
/** A name that was not seen for this many other names starts counting anew. */
const maxCountedNames = 10_000;

export type ReceiverOptions = {
  /** PEM texts of the server's key and certificate. */
  readonly tls: { readonly key: string; readonly cert: string };
  /** Port of the https endpoint; 0 takes any free one. */
  readonly port: number;
  /** Port of the plain-http inbox; 0 takes any free one. */
  readonly inboxPort: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Host in the origin; the certificate must name it. Default `receiver.localhost`. */
  readonly hostname?: string;
  readonly limits?: InboxLimits;
};

export type RunningReceiver = {
  /** For example `https://receiver.localhost:9443`, without a trailing slash. */
  readonly origin: string;
  /** `GET <inboxUrl>?name=<name>` lists what came, `DELETE` forgets it; without a name, all of it. */
  readonly inboxUrl: string;
  close(): Promise<void>;
};

type State = {
  readonly inbox: Inbox;
  readonly counts: Map<string, number>;
  readonly timers: Set<NodeJS.Timeout>;
  readonly now: () => number;
};

/**
 * Starts the programmable endpoint that stands in for a customer: an https server that answers each POST as
 * its query says, and a plain-http inbox to read back what it got.
 */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const hostname = options.hostname ?? 'receiver.localhost';
  const state: State = {
    inbox: new Inbox(options.limits ?? defaultLimits),
    counts: new Map(),
    timers: new Set(),
    now: options.now,
  };
  const endpoint = await listenOnLoopback(
    createHttpsServer({ key: options.tls.key, cert: options.tls.cert }, (request, response) => {
      receive(state, request, response).catch(() => response.destroy());
    }),
    options.port,
    [hostname],
  );
  const inbox = await listenOrClose(endpoint, state, options.inboxPort);
  return {
    origin: `https://${hostname}:${endpoint.port}`,
    inboxUrl: `http://127.0.0.1:${inbox.port}/inbox`,
    close: async () => {
      for (const timer of state.timers) clearTimeout(timer);
      await Promise.all([endpoint.close(), inbox.close()]);
    },
  };
}

async function listenOrClose(endpoint: LoopbackServer, state: State, port: number): Promise<LoopbackServer> {
  try {
    return await listenOnLoopback(
      createServer((request, response) => answerInbox(state, request, response)),
      port,
    );
  } catch (error) {
    await endpoint.close();
    throw error;
  }
}

async function receive(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = state.now();
  const path = request.url ?? '/';
  const url = new URL(path, 'https://receiver.localhost');
  const name = nameOf(url);
  const body = await readBody(request, maxBodyBytes);
  state.inbox.add({ name, at, path, headers: request.headers, body });
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const reply = decideReply(url.searchParams, request.headers, () => countEarlier(state.counts, name));
  if (reply.delayMs > 0) await pause(state.timers, reply.delayMs);
  if (reply.answer === null) {
    request.socket.destroy();
    return;
  }
  const { status, location, text } = reply.answer;
  response.writeHead(status, {
    'content-type': 'text/plain',
    ...(location === undefined ? {} : { location }),
  });
  response.end(text);
}

function answerInbox(state: State, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const name = url.searchParams.get('name');
  if (url.pathname !== '/inbox') {
    answerJson(response, 404, { message: 'Only /inbox is here' });
  } else if (request.method === 'GET') {
    answerJson(response, 200, state.inbox.list(name));
  } else if (request.method === 'DELETE') {
    state.inbox.clear(name);
    if (name === null) state.counts.clear();
    else state.counts.delete(name);
    response.writeHead(204).end();
  } else {
    answerJson(response, 405, { message: 'GET lists the inbox, DELETE empties it' });
  }
}

function nameOf(url: URL): string {
  const name = url.pathname.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function countEarlier(counts: Map<string, number>, name: string): number {
  const earlier = counts.get(name) ?? 0;
  counts.delete(name);
  counts.set(name, earlier + 1);
  const stalest = counts.keys().next();
  if (counts.size > maxCountedNames && stalest.done !== true) counts.delete(stalest.value);
  return earlier;
}

/** Waits, but never longer than the receiver runs: closing it clears the timer and ends the connection. */
function pause(timers: Set<NodeJS.Timeout>, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      resolve();
    }, delayMs);
    timers.add(timer);
  });
}
