import { type Exchange, headerOf, parseJson, type SentRequest } from './exchange.ts';
import type { RawHttp } from './http.ts';
import { at } from './json.ts';
import { KeyRing, type Pace } from './key-ring.ts';
import type { Slots } from './slots.ts';

export type RequestOptions = {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged and without a content type. */
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Skips the limit on requests in flight. */
  readonly atOnce?: boolean;
};

/** Sends requests with the credentials of one customer, or with none. */
export type Caller = {
  readonly send: (method: string, path: string, options?: RequestOptions) => Promise<Exchange>;
  readonly get: (path: string) => Promise<Exchange>;
  readonly post: (path: string, body?: unknown) => Promise<Exchange>;
  readonly remove: (path: string) => Promise<Exchange>;
};

/** Every response of this run, for the checks that judge all responses. */
export type Log = { readonly exchanges: Exchange[] };

type ClientDeps = {
  readonly url: string;
  readonly http: RawHttp;
  readonly log: Log;
  readonly pace: Pace;
  /** Limits the requests in flight. */
  readonly gate: Slots;
};

const maxRepeats = 2;

/** Sends requests as a customer, spread over all its keys. */
export function customerCaller(
  deps: ClientDeps,
  by: 'customer' | 'other',
  keys: readonly string[],
): { readonly caller: Caller; readonly ring: KeyRing } {
  const ring = new KeyRing(keys, deps.pace);
  const send = async (method: string, path: string, options: RequestOptions = {}): Promise<Exchange> => {
    for (let repeats = 0; ; repeats += 1) {
      const lease = await ring.take();
      const authorization = { authorization: `Bearer ${lease.key}` };
      const sent = exchangeOnce(deps, { method, path, by }, options, authorization);
      const exchange = await sent.finally(lease.done);
      if (!isLimited(exchange) || repeats === maxRepeats) return exchange;
      await waitOutLimit(deps.pace, exchange);
    }
  };
  return { caller: callerOf(send), ring };
}

/** Sends requests without a credential, or with the one in the given headers. */
export function anonymousCaller(deps: ClientDeps): Caller {
  return callerOf((method, path, options = {}) =>
    exchangeOnce(deps, { method, path, by: 'none' }, options, {}),
  );
}

function callerOf(send: Caller['send']): Caller {
  return {
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body === undefined ? {} : { body }),
    remove: (path) => send('DELETE', path),
  };
}

async function exchangeOnce(
  deps: ClientDeps,
  request: SentRequest,
  options: RequestOptions,
  authorization: Readonly<Record<string, string>>,
): Promise<Exchange> {
  if (options.atOnce !== true) await deps.gate.take();
  try {
    return await exchangeNow(deps, request, options, authorization);
  } finally {
    if (options.atOnce !== true) deps.gate.give();
  }
}

async function exchangeNow(
  { url, http, log, pace }: ClientDeps,
  request: SentRequest,
  { body, bytes, headers }: RequestOptions,
  authorization: Readonly<Record<string, string>>,
): Promise<Exchange> {
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  const payload = body === undefined ? bytes : Buffer.from(JSON.stringify(body));
  const response = await http.send({
    url: url + request.path,
    method: request.method,
    headers: { ...content, ...authorization, ...headers },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = response.bytes.toString('utf8');
  const exchange = { request, ...response, text, json: parseJson(text), respondedAt: pace.now() };
  log.exchanges.push(exchange);
  return exchange;
}

function isLimited(exchange: Exchange): boolean {
  return exchange.status === 429 && at(exchange.json, 'code') === 'rate_limit_exceeded';
}

/** Another program or an earlier run has used the key. */
async function waitOutLimit(pace: Pace, exchange: Exchange): Promise<void> {
  const seconds = Number(headerOf(exchange, 'retry-after'));
  const ms = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 61) * 1_000 : 1_000;
  pace.onWait('a key has already used up its requests', ms);
  await pace.sleep(ms);
}
