import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { endToEnd, type Header, headerList } from '../servers/header-list.ts';

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

/** Milliseconds for the whole exchange: less than the service waits, so that it learns the reason. */
const defaultTimeoutMs = 9_500;

/**
 * Sends a request to one's own server, with the same bytes and headers, and passes its response on. Only `Host` and the
 * headers of the connection differ. Without a response, answers 502, or 504 after the time limit.
 */
export async function forwardDelivery(
  target: URL,
  received: ReceivedRequest,
  response: ServerResponse,
  timeoutMs = defaultTimeoutMs,
): Promise<Forwarded> {
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const incoming = await send(target, received, timeout);
    const { statusCode: status = 502 } = incoming;
    passOn(incoming, response);
    return { status, ms: took(), error: null };
  } catch (failure) {
    const error = timeout.aborted
      ? `no response from ${target.origin} within ${timeoutMs / 1_000} s`
      : `no response from ${target.origin} (${reasonOf(failure)})`;
    response.writeHead(timeout.aborted ? 504 : 502, { 'content-type': 'text/plain' }).end(`${error}\n`);
    return { status: null, ms: took(), error };
  }
}

function send(
  target: URL,
  { headers, body }: ReceivedRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A connection of its own: a kept one may end at the moment when it is used, and a POST is not sent again.
    const outgoing = request(target, {
      method: 'POST',
      agent: false,
      headers: outgoingHeaders(target, headers, body).flat(),
      signal,
    });
    outgoing.on('error', reject).once('response', resolve).end(body);
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

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : failure.message;
}
