import * as http from 'node:http';
import * as https from 'node:https';
import { buffer } from 'node:stream/consumers';

/** A response as received. */
export type RawResponse = {
  readonly status: number;
  /** Values by lowercase name, in the order of arrival. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body, `undefined` when it is not JSON. */
  readonly json: unknown;
  /** Epoch milliseconds. */
  readonly respondedAt: number;
};

/** A request as it was sent, and its response. */
export type Exchange = RawResponse & {
  readonly request: {
    readonly method: string;
    /** Request target, query included. */
    readonly path: string;
    /** The customer whose credential was sent. `none`: no credential, or one in the headers. */
    readonly by: 'customer' | 'other' | 'none';
  };
};

type RawRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  readonly atOnce?: boolean | undefined;
};

/** Fast, but light enough for a service on a laptop. */
const settings = { keepAlive: true, maxSockets: 12 };
const agents = { http: new http.Agent(settings), https: new https.Agent(settings) };
const responseTimeoutMs = 40_000;

/** Sends exactly the given bytes and headers; does not follow redirects or decode bodies. */
export async function sendRaw({ url, method, headers, body, atOnce }: RawRequest): Promise<RawResponse> {
  const { protocol, hostname, port, origin } = new URL(url);
  const [request, agent] = protocol === 'https:' ? [https.request, agents.https] : [http.request, agents.http];
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const outgoing = request({
    ...{ method, hostname, port, headers: { ...headers, ...length }, agent: atOnce ? false : agent },
    // From the text, because the URL parser would normalize a target that a check wants to send unchanged.
    path: url.slice(origin.length) || '/',
  });
  outgoing.setTimeout(responseTimeoutMs, () => {
    outgoing.destroy(new Error(`no response within ${responseTimeoutMs / 1_000} s`));
  });
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  outgoing.on('error', reject).once('response', resolve).end(body);
  const incoming = await promise;
  const bytes = await buffer(incoming);
  const text = bytes.toString('utf8');
  return {
    status: incoming.statusCode ?? 0,
    headers: new Map(Object.entries(incoming.headersDistinct).map(([name, values = []]) => [name, values])),
    ...{ bytes, text, json: parseJson(text), respondedAt: Date.now() },
  };
}

/** `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function headerOf({ headers }: RawResponse, name: string): string | undefined {
  return headers.get(name)?.join(', ');
}

export function mediaType(exchange: Exchange): string {
  return (headerOf(exchange, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export function isSuccess({ status }: Exchange): boolean {
  return status >= 200 && status < 300;
}
