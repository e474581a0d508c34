import * as http from 'node:http';
import * as https from 'node:https';
import { buffer } from 'node:stream/consumers';

export type RawResponse = {
  readonly status: number;
  /** Values by lowercase name, in the order of arrival. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly bytes: Buffer;
};

export type RawRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
};

const responseTimeoutMs = 40_000;

/** Sends exactly the given bytes and headers; does not follow redirects or decode bodies. */
export class RawHttp {
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };

  send(request: RawRequest): Promise<RawResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    const outgoing = this.#open(request);
    outgoing.setTimeout(responseTimeoutMs, () => {
      outgoing.destroy(new Error(`no response within ${responseTimeoutMs / 1_000} s`));
    });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => collect(incoming).then(resolve, reject));
    outgoing.end(request.body);
    return promise;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #open({ url, method, headers, body }: RawRequest): http.ClientRequest {
    const { protocol, hostname, port } = new URL(url);
    // From the text, because the URL parser would normalize a target that a check wants to send unchanged.
    const target = url.slice(new URL(url).origin.length) || '/';
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const options = { method, hostname, port, path: target, headers: { ...headers, ...length } };
    if (protocol === 'https:') return https.request({ ...options, agent: this.#agents['https:'] });
    return http.request({ ...options, agent: this.#agents['http:'] });
  }
}

async function collect(incoming: http.IncomingMessage): Promise<RawResponse> {
  const headers = Object.entries(incoming.headersDistinct);
  return {
    status: incoming.statusCode ?? 0,
    headers: new Map(headers.map(([name, values = []]) => [name, values])),
    bytes: await buffer(incoming),
  };
}
