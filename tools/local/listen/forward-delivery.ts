import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import { errorCode } from '#shared/http/error-code.ts';
import { fixedLookup } from '#shared/http/fixed-lookup.ts';
import { resolveTrusted, type SystemLookup } from '#shared/http/resolve-trusted.ts';
import { messageOf } from '../../operator/cli/run-program.ts';
import { endToEnd, type Header, headerList } from '../servers/header-list.ts';
import { isLoopbackAddress } from '../servers/loopback-address.ts';

/** A request as it arrived. */
export type ReceivedRequest = { readonly headers: readonly Header[]; readonly body: Buffer };

/** The response of one's own server. */
export type Forwarded = {
  /** `null` without a response. */
  readonly status: number | null;
  /** Milliseconds until the response headers, or until the failure. */
  readonly ms: number;
  /** Why there was no response; `null` with one. */
  readonly error: string | null;
};

export type ForwardOptions = {
  /** Milliseconds for the whole exchange. Default 9,500: less than the service waits, so that it learns the reason. */
  readonly timeoutMs?: number;
  /** Looks up the host of the server; `dns.lookup` by default. */
  readonly systemLookup?: SystemLookup;
};

/**
 * Sends a request to one's own server, with the same bytes and headers, and passes its response on. Only `Host` and the
 * headers of the connection differ. Without a response, answers 502, or 504 after the time limit.
 */
export async function forwardDelivery(
  target: URL,
  received: ReceivedRequest,
  response: ServerResponse,
  { timeoutMs = 9_500, systemLookup }: ForwardOptions = {},
): Promise<Forwarded> {
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const addresses = await addressesOf(target, timeout, systemLookup);
    const incoming = await send(target, addresses, received, timeout);
    const { statusCode: status = 502 } = incoming;
    passOn(incoming, response);
    return { status, ms: took(), error: null };
  } catch (failure) {
    const error = timeout.aborted
      ? `no response from ${target.origin} within ${timeoutMs / 1_000} s`
      : `no response from ${target.origin} (${errorCode(failure) || messageOf(failure)})`;
    response.writeHead(timeout.aborted ? 504 : 502, { 'content-type': 'text/plain' }).end(`${error}\n`);
    return { status: null, ms: took(), error };
  }
}

async function addressesOf(
  { hostname }: URL,
  signal: AbortSignal,
  systemLookup: SystemLookup | undefined,
): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  const host = await resolveTrusted(name, signal, systemLookup);
  if (host.ok) return host.addresses;
  throw Object.assign(new Error('The host does not resolve'), { code: host.code });
}

function send(
  target: URL,
  addresses: readonly string[],
  { headers, body }: ReceivedRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? requestTls : request)(target, {
      method: 'POST',
      // A connection of its own: a kept one may end at the moment when it is used, and a POST is not sent again.
      agent: false,
      headers: outgoingHeaders(target, headers, body).flat(),
      signal,
      lookup: fixedLookup(addresses),
      // Nobody is between this program and loopback, where development servers have certificates of their own.
      rejectUnauthorized: !addresses.every(isLoopbackAddress),
    });
    outgoing.on('error', reject).once('response', resolve).end(body);
    // Without a listener, a response that switches protocols would end in neither a response nor an error.
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('it switches to another protocol'));
    });
  });
}

/** Development servers refuse a `Host` that is not theirs. */
function outgoingHeaders(target: URL, headers: readonly Header[], body: Buffer): readonly Header[] {
  const same = endToEnd(headers).map(
    ([name, value]): Header => [name, name.toLowerCase() === 'host' ? target.host : value],
  );
  // A tunnel may have sent the body in chunks.
  const hasLength = same.some(([name]) => name.toLowerCase() === 'content-length');
  return hasLength ? same : [...same, ['Content-Length', String(body.length)]];
}

function passOn(incoming: IncomingMessage, response: ServerResponse): void {
  const headers = endToEnd(headerList(incoming.rawHeaders)).flat();
  // Either side may end early; the status has been passed on by then.
  incoming.on('error', () => response.destroy());
  response.once('close', () => incoming.destroy());
  response.writeHead(incoming.statusCode ?? 502, headers);
  incoming.pipe(response);
}
