import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { answerJson, listenOnLoopback, readBody } from '../../servers/loopback-server.ts';
import { starting } from '../../stack/starting.ts';
import { decideReply } from './behaviour.ts';
import { Inbox, type InboxLimits } from './inbox.ts';

const maxBodyBytes = 4 * 1024 * 1024;
const defaultLimits: InboxLimits = { maxRequests: 10_000, maxBytes: 64 * 1024 * 1024 };
/** The count of a name is forgotten after this many other names. */
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

export type RunningReceiver = AsyncDisposable & {
  /** For example `https://receiver.localhost:9443`, without a trailing slash. */
  readonly origin: string;
  /** `GET <inboxUrl>?name=<name>` lists what came, `DELETE` forgets it; without a name, all of it. */
  readonly inboxUrl: string;
};

type State = {
  readonly inbox: Inbox;
  readonly counts: Map<string, number>;
  readonly timers: Set<NodeJS.Timeout>;
  readonly now: () => number;
};

/**
 * Starts the programmable endpoint that stands in for a customer: an https server that answers each POST as its query
 * says, and a plain-http inbox that lists what the endpoint got.
 */
export function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const hostname = options.hostname ?? 'receiver.localhost';
  const state: State = {
    inbox: new Inbox(options.limits ?? defaultLimits),
    counts: new Map(),
    timers: new Set(),
    now: options.now,
  };
  const endpointServer = createHttpsServer(
    { key: options.tls.key, cert: options.tls.cert },
    (...exchange) => {
      const [, response] = exchange;
      receive(state, ...exchange).catch(() => response.destroy());
    },
  );
  const inboxServer = createServer((request, response) => answerInbox(state, request, response));
  return starting(async (parts) => {
    const endpoint = await listenOnLoopback(endpointServer, options.port, [hostname]);
    parts.defer(() => endpoint.close());
    const inbox = await listenOnLoopback(inboxServer, options.inboxPort);
    parts.defer(() => inbox.close());
    parts.defer(() => {
      for (const timer of state.timers) clearTimeout(timer);
    });
    return { origin: `https://${hostname}:${endpoint.port}`, inboxUrl: `${inbox.url}/inbox` };
  });
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
