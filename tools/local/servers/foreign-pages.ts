import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { TLSSocket } from 'node:tls';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Names of this machine in containers of Docker, Podman, Lima, OrbStack and Rancher Desktop. */
const containerNames: ReadonlySet<string> = new Set([
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
  'host.lima.internal',
  'host.orb.internal',
  'host.rancher-desktop.internal',
]);

/** Events through which a server passes a request to its listeners. */
const requestEvents = new Set<string>(['request', 'checkContinue', 'checkExpectation']);

/**
 * Keeps web pages of other origins away from a server: answers their requests with 403, without CORS headers, before
 * any listener of the server gets them, including listeners added later.
 *
 * Any page that a developer visits can send requests to loopback, and most parts of the stack require no credential.
 * Browsers name the page in `Origin` and the Sec-Fetch headers. A page whose host name resolves to this machine (DNS
 * rebinding) is recognized by its `Host`. The names for containers serve programs, and no page: a hostile name server
 * could make a page of them.
 *
 * @param hostnames names of the server besides those of loopback
 */
export function refuseForeignPages(server: Server | HttpsServer, hostnames: readonly string[] = []): void {
  const names = new Set([...loopbackNames, ...hostnames]);
  const emit: (event: string, ...rest: unknown[]) => boolean = server.emit.bind(server);
  Object.defineProperty(server, 'emit', {
    configurable: true,
    value: (event: string, ...rest: unknown[]): boolean => {
      const [request, response] = rest;
      if (!requestEvents.has(event) || !(request instanceof IncomingMessage)) return emit(event, ...rest);
      const reason = reasonToRefuse(request, names);
      if (reason === undefined || !(response instanceof ServerResponse)) return emit(event, ...rest);
      response.statusCode = 403;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ message: reason }));
      return true;
    },
  });
}

function reasonToRefuse(request: IncomingMessage, names: ReadonlySet<string>): string | undefined {
  const { host = '', origin } = request.headers;
  const port = request.socket.localPort ?? 0;
  const scheme = request.socket instanceof TLSSocket ? 'https' : 'http';
  const name = nameIn(host.toLowerCase(), port, scheme);
  const isForContainers = containerNames.has(name);
  if (!names.has(name) && !isForContainers) {
    return `The request is addressed to ${JSON.stringify(host)}: use 127.0.0.1:${port}`;
  }
  // A page whose origin is the address of this server came from this server.
  const isOwnPage = !isForContainers && origin === `${scheme}://${host.toLowerCase()}`;
  if (origin === undefined ? !comesFromElsewhere(request) : isOwnPage) return undefined;
  return (
    `The request comes from a web page of ${JSON.stringify(origin ?? 'another origin')}, and the local stack answers ` +
    'only its own pages: send it from a program, or without Origin and Sec-Fetch headers'
  );
}

/** The name in a `Host` with the port of this server, without the dot that ends a full name; else an empty one. */
function nameIn(host: string, port: number, scheme: string): string {
  const suffix = `:${port}`;
  const isDefault = port === (scheme === 'https' ? 443 : 80);
  const name = host.endsWith(suffix) ? host.slice(0, -suffix.length) : isDefault ? host : '';
  return name.replace(/\.$/, '');
}

/**
 * Browsers send no `Origin` for responses that a page cannot read, such as images. Allows links, which a person
 * follows.
 */
function comesFromElsewhere({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none' || site === 'same-origin') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(isLink && method === 'GET');
}
