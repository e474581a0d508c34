import { createServer, type IncomingMessage } from 'node:http';
import * as z from 'zod';
import { listenOnLoopback, readBody } from '../../tools/local/servers/loopback-server.ts';

export type PassedRequest = {
  readonly method: string;
  /** Request target, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type PassedResponse = {
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

type Forward = (request: PassedRequest) => Promise<PassedResponse>;

/** One way to break a service. */
export type Breakage = {
  /** Changes requests to the service. */
  readonly request?: (request: PassedRequest) => PassedRequest;
  /** Changes responses of the service. */
  readonly response?: (
    response: PassedResponse,
    request: PassedRequest,
    forward: Forward,
  ) => PassedResponse | Promise<PassedResponse>;
  /** Changes the POSTs in the inbox. */
  readonly inbox?: (entries: readonly InboxEntry[], name: string) => readonly InboxEntry[];
};

const inboxPath = '/inbox-of-the-receiver';
const maxBodyBytes = 1024 * 1024;

/** A proxy of the API and of the receiver's inbox that breaks a correct service in several ways at once. */
export async function startAlteringProxy(
  target: { readonly url: string; readonly inboxUrl: string },
  breakages: readonly Breakage[],
) {
  const server = createServer((incoming, outgoing) => {
    pass(target, breakages, incoming)
      .then(({ status, headers, body }) => {
        const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        outgoing.writeHead(status, { ...headers, ...length }).end(body);
      })
      .catch(() => outgoing.destroy());
  });
  const { port, close } = await listenOnLoopback(server, 0);
  const url = `http://127.0.0.1:${port}`;
  return { url, inboxUrl: `${url}${inboxPath}`, close };
}

async function pass(
  { url, inboxUrl }: { readonly url: string; readonly inboxUrl: string },
  breakages: readonly Breakage[],
  incoming: IncomingMessage,
): Promise<PassedResponse> {
  const received: PassedRequest = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: singleHeaders(Object.entries(incoming.headers)),
    body: await readBody(incoming, maxBodyBytes),
  };
  if (received.path.startsWith(inboxPath)) {
    const path = received.path.slice(inboxPath.length);
    return alterInbox(await send(inboxUrl, { ...received, path }), path, breakages);
  }
  const forward: Forward = (request) => send(url, request);
  const request = breakages.reduce((given, breakage) => breakage.request?.(given) ?? given, received);
  let response = await forward(request);
  for (const breakage of breakages) response = (await breakage.response?.(response, request, forward)) ?? response;
  return response;
}

function alterInbox(response: PassedResponse, query: string, breakages: readonly Breakage[]): PassedResponse {
  const name = new URLSearchParams(query).get('name') ?? '';
  const altered = breakages.reduce<readonly InboxEntry[]>(
    (entries, breakage) => breakage.inbox?.(entries, name) ?? entries,
    z.array(inboxEntry).parse(JSON.parse(response.body)),
  );
  return { ...response, body: JSON.stringify(altered) };
}

/** Headers that belong to one connection, so the proxy does not forward them. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'];

async function send(target: string, { method, path, headers, body }: PassedRequest): Promise<PassedResponse> {
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

function singleHeaders(
  entries: readonly (readonly [string, string | readonly string[] | undefined])[],
): Record<string, string> {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat().join(', ')]])),
  );
}
