import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback, readBody } from '../../servers/loopback-server.ts';
import { starting } from '../../stack/lifecycle.ts';
import { decideReply } from './behaviour.ts';
import { answerInbox, Inbox, type InboxLimits, type InboxState } from './inbox.ts';
import { RecentMap } from './recent-map.ts';

const maxBodyBytes = 4 * 1024 * 1024;
/** Number of names with secrets, and of URLs whose POSTs are counted. */
const maxNames = 10_000;
const defaultLimits: InboxLimits = { maxRequests: 10_000, maxBytes: 64 * 1024 * 1024 };
/** Host name of the endpoint; the certificate must contain it. */
const hostname = 'receiver.localhost';

export type ReceiverOptions = {
  /** PEM texts of the server's key and certificate. */
  readonly tls: { readonly key: string; readonly cert: string };
  /** Port of the https endpoint; 0 picks a free port. */
  readonly port: number;
  /** Port of the plain-http inbox; 0 picks a free port. */
  readonly inboxPort: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly limits?: InboxLimits;
};

export type RunningReceiver = AsyncDisposable & {
  /** For example `https://receiver.localhost:9443`, without a trailing slash. */
  readonly origin: string;
  /**
   * `GET <inboxUrl>?name=<name>` lists the requests to a name, and `DELETE` deletes them. Without a name, both apply to
   * all requests. `POST <inboxUrl>/secrets?name=<name>` gives the receiver a secret to verify their signatures with.
   */
  readonly inboxUrl: string;
};

type State = InboxState & {
  /** Ends pending delays when the receiver closes. */
  readonly closing: AbortController;
  readonly now: () => number;
};

/**
 * Starts the programmable endpoint that stands in for a customer: an https server that answers each POST as its query
 * says, and a plain-http inbox that lists the endpoint's requests.
 */
export function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const state: State = {
    inbox: new Inbox(options.limits ?? defaultLimits),
    secrets: new RecentMap(maxNames),
    counts: new RecentMap(maxNames),
    closing: new AbortController(),
    now: options.now,
  };
  const { key, cert } = options.tls;
  const endpointServer = createHttpsServer({ key, cert }, (request, response) => {
    receive(state, request, response).catch(() => response.destroy());
  });
  const inboxServer = createServer((request, response) => {
    answerInbox(state, request, response).catch(() => response.destroy());
  });
  return starting(async (parts) => {
    const endpoint = await listenOnLoopback(endpointServer, options.port, [hostname]);
    parts.defer(() => endpoint.close());
    const inbox = await listenOnLoopback(inboxServer, options.inboxPort);
    parts.defer(() => inbox.close());
    parts.defer(() => state.closing.abort());
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
  const reply = decideReply(url.searchParams, { headers: request.headers, body }, () => {
    const count = state.counts.get(path)?.count ?? 0;
    state.counts.set(path, { name, count: count + 1 });
    return count;
  });
  if (reply.delayMs > 0) await sleep(reply.delayMs, undefined, { signal: state.closing.signal });
  if (reply.response === null) {
    request.socket.destroy();
    return;
  }
  const { status, location, text } = reply.response;
  if (location !== undefined) response.setHeader('location', location);
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}

function nameOf(url: URL): string {
  const name = url.pathname.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
