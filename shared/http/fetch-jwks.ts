import type { IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { errorMessage } from '#shared/domain/error-message.ts';
import { startDeadline } from './deadline.ts';
import { classicalGroups, dislikesHello, groups } from './tls-context.ts';

// An import would run the module's lazy getters, which load a second HTTP client: half of a cold start.
const { request: plainRequest } = process.getBuiltinModule('node:http');

export type FetchJwksOptions = {
  readonly url: string;
  /** The only http origin that is allowed; every other origin needs https. */
  readonly plainOrigin?: string | undefined;
  /** Milliseconds for the whole exchange, from the DNS lookup to the last byte. Default 5,000. */
  readonly timeoutMs?: number;
};

/** Many times the size of a typical key set. */
const maxBytes = 256 * 1024;

/**
 * Reads the key set of the token issuer. The operator configures its URL, so the address may be private, unlike an
 * endpoint's. Redirects are not followed.
 *
 * @returns the parsed JSON of the response, not validated
 * @throws Error when no complete 200 response with JSON arrives in time
 */
export function createFetchJwks({ url, plainOrigin, timeoutMs = 5_000 }: FetchJwksOptions) {
  const target = new URL(url);
  return async (): Promise<unknown> => {
    if (target.protocol !== 'https:' && target.origin !== plainOrigin) {
      throw new Error(`Cannot fetch signing keys from ${target.origin}: use https`);
    }
    const deadline = startDeadline(timeoutMs);
    try {
      return JSON.parse(await readText(await open(target, deadline.signal)));
    } catch (cause) {
      const reason = deadline.signal.aborted ? `no response within ${timeoutMs} ms` : errorMessage(cause);
      throw new Error(`Cannot fetch signing keys from ${target.origin}: ${reason}`, { cause });
    } finally {
      deadline.end();
    }
  };
}

/** A handshake that dies is tried once more, with a ClientHello that older servers and firewalls know. */
async function open(target: URL, signal: AbortSignal): Promise<IncomingMessage> {
  try {
    return await openOnce(target, signal, groups);
  } catch (cause) {
    if (target.protocol !== 'https:' || signal.aborted || !dislikesHello(cause)) throw cause;
    return openOnce(target, signal, classicalGroups).catch((again: unknown) => {
      throw new Error(`${errorMessage(again)}, with and without post-quantum groups`, { cause: again });
    });
  }
}

/** Opens a new connection: fetches are so rare that the issuer would have closed an idle one. */
function openOnce(target: URL, signal: AbortSignal, ecdhCurve: string): Promise<IncomingMessage> {
  const headers = { Accept: 'application/jwk-set+json, application/json', 'Accept-Encoding': 'identity' };
  const send = target.protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    send(target, { headers, signal, agent: false, rejectUnauthorized: true, ecdhCurve }, resolve)
      .on('error', reject)
      // Without a listener, a response that switches protocols would end in neither a response nor an error.
      .on('upgrade', resolve)
      .end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the response is ${response.statusCode}, not 200`);
  }
  for await (const chunk of response.iterator()) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new Error(`the response is over ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
