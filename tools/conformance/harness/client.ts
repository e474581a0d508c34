import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, headerOf, sendRaw } from './exchange.ts';
import { at } from './json.ts';

/** Sends requests with the credentials of one customer, or with none. */
export type Caller = ReturnType<typeof createCaller>;

export type RequestOptions = {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged and without a content type. */
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Skips the limit on requests in flight. */
  readonly atOnce?: boolean;
};

/** Every response of this run, for the checks that judge all responses, and the requests without one. */
export type Log = { readonly exchanges: Exchange[]; readonly pending: Set<Promise<unknown>> };

type Identity = {
  readonly url: string;
  readonly by: Exchange['request']['by'];
  /** Requests take turns with them. None: a request has only the credential in its headers. */
  readonly keys: readonly string[];
  readonly log: Log;
  /** Aborted at the end of the run. */
  readonly signal: AbortSignal;
  /** Called before a wait for the request limit of a key. */
  readonly onWait: (ms: number) => void;
};

/** Requests of a run with one key wait for eight minutes in all; the rest is reserve. */
const maxWaits = 15;

export function createCaller({ url, by, keys, log, signal, onWait }: Identity) {
  let turn = 0;
  const sendOnce = async (method: string, path: string, key: string | undefined, options: RequestOptions) => {
    const { body, bytes, headers, atOnce } = options;
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const credential = key === undefined ? {} : { authorization: `Bearer ${key}` };
    signal.throwIfAborted();
    const sending = sendRaw({
      ...{ url: url + path, method, atOnce, headers: { ...content, ...credential, ...headers } },
      body: body === undefined ? bytes : Buffer.from(JSON.stringify(body)),
    });
    log.pending.add(sending);
    const response = await sending.finally(() => log.pending.delete(sending));
    const exchange: Exchange = { request: { method, path, by }, ...response };
    log.exchanges.push(exchange);
    return exchange;
  };
  const send = async (method: string, path: string, options: RequestOptions = {}): Promise<Exchange> => {
    for (let waits = 0; ; waits += 1) {
      const key = keys[turn++ % keys.length];
      const exchange = await sendOnce(method, path, key, options);
      if (key === undefined || !isLimited(exchange) || waits === maxWaits) return exchange;
      const seconds = Number(headerOf(exchange, 'retry-after'));
      const ms = seconds > 0 ? Math.min(seconds, 61) * 1_000 : 1_000;
      onWait(ms);
      await sleep(ms, undefined, { signal });
    }
  };
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) => send('POST', path, body === undefined ? {} : { body }),
    remove: (path: string) => send('DELETE', path),
  };
}

function isLimited({ status, json }: Exchange): boolean {
  return status === 429 && at(json, 'code') === 'rate_limit_exceeded';
}
