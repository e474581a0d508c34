import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { listenOnLoopback, readBody } from '../../local/servers/loopback-server.ts';

export type PassedRequest = {
  readonly method: string;
  /** Request target, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type PassedAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const inboxEntry = z.object({
  time: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body_base64: z.string(),
});

/** One POST as the inbox of the receiver shows it. */
export type InboxEntry = z.infer<typeof inboxEntry>;

type Forward = (request: PassedRequest) => Promise<PassedAnswer>;

/** One way to break a service. */
export type Breakage = {
  /** Changes requests to the service. */
  readonly request?: (request: PassedRequest) => PassedRequest;
  /** Changes responses of the service. */
  readonly answer?: (
    answer: PassedAnswer,
    request: PassedRequest,
    forward: Forward,
  ) => PassedAnswer | Promise<PassedAnswer>;
  /** Changes the POSTs in the inbox. */
  readonly inbox?: (entries: readonly InboxEntry[], name: string) => readonly InboxEntry[];
};

export type AlteringProxy = {
  readonly url: string;
  readonly inboxUrl: string;
  readonly close: () => Promise<void>;
};

const inboxPath = '/inbox-of-the-receiver';
const maxBodyBytes = 1024 * 1024;

/** A proxy of the API and of the receiver's inbox that breaks a correct service in several ways at once. */
export async function startAlteringProxy(
  target: { readonly url: string; readonly inboxUrl: string },
  breakages: readonly Breakage[],
): Promise<AlteringProxy> {
  const server = createServer((incoming, outgoing) => {
    const passing = (incoming.url ?? '').startsWith(inboxPath)
      ? passInbox(target.inboxUrl, breakages, incoming, outgoing)
      : passRequest(target.url, breakages, incoming, outgoing);
    passing.catch(() => outgoing.destroy());
  });
  const { port, close } = await listenOnLoopback(server, 0);
  const url = `http://127.0.0.1:${port}`;
  return { url, inboxUrl: `${url}${inboxPath}`, close };
}

async function passRequest(
  target: string,
  breakages: readonly Breakage[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const forward: Forward = (request) => send(target, request);
  const received: PassedRequest = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: singleHeaders(Object.entries(incoming.headers)),
    body: await readBody(incoming, maxBodyBytes),
  };
  const request = breakages.reduce((given, breakage) => breakage.request?.(given) ?? given, received);
  let answer = await forward(request);
  for (const breakage of breakages) answer = (await breakage.answer?.(answer, request, forward)) ?? answer;
  const { status, headers, body } = answer;
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  outgoing.writeHead(status, { ...headers, ...length }).end(body);
}

/** Headers that belong to one connection, so the proxy does not forward them. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'];

async function send(target: string, { method, path, headers, body }: PassedRequest): Promise<PassedAnswer> {
  const passed = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
  const response = await fetch(target + path, {
    method,
    headers: passed,
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
  return {
    status: response.status,
    headers: singleHeaders([...response.headers].filter(([name]) => !ofConnection.includes(name))),
    body: await response.text(),
  };
}

async function passInbox(
  inboxUrl: string,
  breakages: readonly Breakage[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const query = new URL(incoming.url ?? '/', inboxUrl).searchParams;
  const response = await fetch(`${inboxUrl}?${query}`);
  const entries = z.array(inboxEntry).parse(await response.json());
  const name = query.get('name') ?? '';
  const altered = breakages.reduce<readonly InboxEntry[]>(
    (given, breakage) => breakage.inbox?.(given, name) ?? given,
    entries,
  );
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(altered));
}

function singleHeaders(
  entries: readonly (readonly [string, string | readonly string[] | undefined])[],
): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat().join(', ')]])),
  );
}
