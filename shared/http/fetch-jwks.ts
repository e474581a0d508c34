import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { startDeadline } from './deadline.ts';

export type FetchJwksOptions = {
  readonly url: string;
  /** The one http origin that may be asked; https is wanted everywhere else. */
  readonly plainOrigin?: string | undefined;
  /** For the whole exchange, from the first lookup to the last byte. Default 5,000. */
  readonly timeoutMs?: number;
};

/** Many times what an issuer publishes. */
const maxBytes = 256 * 1024;

/**
 * Reads the key set of the token issuer. Its address is the operator's own setting, so it may be private, unlike an
 * endpoint's. Redirects are not followed.
 *
 * @returns the parsed JSON of the answer, whatever it is
 * @throws Error when there is no complete 200 with JSON in time
 */
export function createFetchJwks({ url, plainOrigin, timeoutMs = 5_000 }: FetchJwksOptions) {
  const target = new URL(url);
  return async (): Promise<unknown> => {
    if (target.protocol !== 'https:' && target.origin !== plainOrigin) {
      throw new Error(`Cannot fetch signing keys from ${target.origin}: https is wanted`);
    }
    const deadline = startDeadline(timeoutMs);
    try {
      return JSON.parse(await readText(await open(target, deadline.signal)));
    } catch (cause) {
      const reason = deadline.signal.aborted ? `no answer within ${timeoutMs} ms` : String(cause);
      throw new Error(`Cannot fetch signing keys from ${target.origin}: ${reason}`, { cause });
    } finally {
      deadline.end();
    }
  };
}

/** A connection of its own: keys are fetched so rarely that a kept one would be dead by then. */
function open(target: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { Accept: 'application/jwk-set+json, application/json', 'Accept-Encoding': 'identity' };
  const send = target.protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    send(target, { headers, signal, agent: false, rejectUnauthorized: true }, resolve)
      .on('error', reject)
      .end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the answer is ${response.statusCode}, not 200`);
  }
  for await (const chunk of response.iterator()) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new Error(`the answer is over ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
