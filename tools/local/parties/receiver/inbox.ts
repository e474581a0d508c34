import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseJson } from '../../../operator/cli/parse-json.ts';
import { readBody } from '../../servers/loopback-server.ts';
import { signatureFault } from './check-signature.ts';
import type { RecentMap } from './recent-map.ts';

/** One request, as received. */
type ReceivedRequest = {
  /** Path without the leading slash, chosen by the sender; `''` for the root. */
  readonly name: string;
  /** Arrival of the request line and headers, epoch milliseconds. */
  readonly at: number;
  /** Request target, query included. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type InboxLimits = { readonly maxRequests: number; readonly maxBytes: number };

/** Keeps requests, oldest first, and drops the oldest beyond its limits. */
export class Inbox {
  readonly #limits: InboxLimits;
  #requests: ReceivedRequest[] = [];
  #bytes = 0;

  constructor(limits: InboxLimits) {
    this.#limits = limits;
  }

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    this.#bytes += sizeOf(request);
    while (this.#requests.length > this.#limits.maxRequests || this.#bytes > this.#limits.maxBytes) {
      const oldest = this.#requests.shift();
      if (oldest === undefined) return;
      this.#bytes -= sizeOf(oldest);
    }
  }

  /** The requests to a name, or all requests, in order of arrival. */
  list(name: string | null): readonly ReceivedRequest[] {
    return this.#requests.filter((request) => name === null || request.name === name);
  }

  clear(name: string | null): void {
    this.#requests = name === null ? [] : this.#requests.filter((request) => request.name !== name);
    this.#bytes = this.#requests.reduce((sum, request) => sum + sizeOf(request), 0);
  }
}

function sizeOf({ path, headers, body }: ReceivedRequest): number {
  let size = body.length + path.length;
  for (const [name, value] of Object.entries(headers)) size += name.length + String(value).length;
  return size;
}

/** What the receiver knows of its requests, in memory only. */
export type InboxState = {
  readonly inbox: Inbox;
  /** The signing secrets that the receiver was given, by the name of the path they belong to. */
  readonly secrets: RecentMap<string, readonly string[]>;
  /**
   * How many POSTs each URL got, query included, for `fail_first`: endpoints at one path that respond in different ways
   * do not count each other's events.
   */
  readonly counts: RecentMap<string, { readonly name: string; readonly count: number }>;
};

/** Secrets to keep for one name: more than a customer has endpoints, with two secrets each during a rotation. */
const secretsPerName = 20;
const maxSecretBytes = 64 * 1024;

/** Answers a request to the inbox: lists it, empties it, or takes a secret. */
export async function answerInbox(
  state: InboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const name = url.searchParams.get('name');
  if (url.pathname === '/inbox/secrets') {
    await takeSecret(state.secrets, name, request, response);
  } else if (url.pathname !== '/inbox') {
    respond(response, 404, { message: 'Not found: use /inbox' });
  } else if (request.method === 'GET') {
    const entries = state.inbox.list(name).map((each) => toEntry(each, state.secrets, url.origin));
    respond(response, 200, entries);
  } else if (request.method === 'DELETE') {
    state.inbox.clear(name);
    for (const [url, counted] of state.counts) {
      if (name === null || counted.name === name) state.counts.delete(url);
    }
    response.writeHead(204).end();
  } else {
    respond(response, 405, { message: 'Method not allowed: GET lists the inbox, DELETE empties it' });
  }
}

/** A request in the listing. `body` is `null` when the bytes are not UTF-8. */
function toEntry({ name, at, path, headers, body }: ReceivedRequest, secrets: InboxState['secrets'], origin: string) {
  const howToGive = `POST it, or the response of the registration, to ${origin}/inbox/secrets?name=${encodeURIComponent(name)}`;
  const fault = signatureFault({ at, headers, body }, secrets.get(name) ?? [], howToGive);
  return {
    time: new Date(at).toISOString(),
    path,
    verified: fault === null,
    ...(fault === null ? {} : { reason: fault }),
    headers,
    body: isUtf8(body) ? body.toString('utf8') : null,
    body_base64: body.toString('base64'),
  };
}

async function takeSecret(
  secrets: InboxState['secrets'],
  name: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    respond(response, 405, { message: 'Method not allowed: POST gives a secret' });
    return;
  }
  const given = (await readBody(request, maxSecretBytes)).toString().trim();
  const json = parseJson(given);
  const secret = withSecret.safeParse(json).data?.secret ?? plainSecret.safeParse(given).data;
  if (name === null) {
    respond(response, 400, {
      message: 'Name the path of the endpoint: /inbox/secrets?name=hello for /hello',
    });
  } else if (secret === undefined) {
    // A pipe from the registration passes an error of the API here.
    const { data } = problem.safeParse(json);
    const got = data === undefined ? '' : `; got the error ${data.code}`;
    respond(response, 400, { message: `Expected ${expected}${got}` });
  } else {
    // Earlier secrets stay: after a rotation, deliveries are signed with both for a day.
    const others = (secrets.get(name) ?? []).filter((known) => known !== secret);
    secrets.set(name, [...others, secret].slice(-secretsPerName));
    respond(response, 200, { message: `Deliveries to /${name} are verified with this secret` });
  }
}

const expected = 'a signing secret (whsec_…), or the response to a registration or a rotation, which contains one';
const plainSecret = z.string().regex(/^whsec_\S+$/);
const withSecret = z.object({ secret: plainSecret });
const problem = z.object({ code: z.string() });

/** Indented, with a final newline: people read the inbox in a terminal. */
function respond(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json').end(`${JSON.stringify(body, null, 2)}\n`);
}
