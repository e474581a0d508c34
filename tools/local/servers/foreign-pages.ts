import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { TLSSocket } from 'node:tls';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Events through which a server passes a request to its listeners. */
const requestEvents = new Set<string>(['request', 'checkContinue', 'checkExpectation']);

/**
 * Keeps web pages of other origins away from a server: answers their requests with 403, without CORS headers, before
 * any listener of the server gets them, including listeners added later.
 *
 * Any page that a developer visits can send requests to loopback, and most parts of the stack require no credential.
 * Browsers name the page in `Origin` and the Sec-Fetch headers. A page whose host name resolves to this machine (DNS
 * rebinding) is recognized by its `Host`.
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
  if (!isOwnHost(host, names, port, scheme)) {
    return `The request is addressed to ${JSON.stringify(host)}: use 127.0.0.1:${port}`;
  }
  // A page whose origin is the address of this server came from this server.
  if (origin === undefined ? !comesFromElsewhere(request) : origin === `${scheme}://${host.toLowerCase()}`) {
    return undefined;
  }
  return (
    `The request comes from a web page of ${JSON.stringify(origin ?? 'another origin')}, and the local stack answers ` +
    'only its own pages: send it from a program, or without Origin and Sec-Fetch headers'
  );
}

function isOwnHost(host: string, names: ReadonlySet<string>, port: number, scheme: string): boolean {
  const lower = host.toLowerCase();
  const suffix = `:${port}`;
  if (lower.endsWith(suffix)) return names.has(lower.slice(0, -suffix.length));
  return port === (scheme === 'https' ? 443 : 80) && names.has(lower);
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
