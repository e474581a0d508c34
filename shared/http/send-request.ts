import type { Withdrawal } from '#shared/domain/attempt.ts';
import { readingLasts } from '#shared/domain/endpoint.ts';
import type { EndpointUrl } from '#shared/domain/endpoint-url.ts';
import type { Headers, PostEvent } from '#shared/operations/ports.ts';
import { failureOf } from './attempt-failure.ts';
import type { AttemptProgress } from './attempt-progress.ts';
import type { Connection } from './connection-pool.ts';
import { exchange, type NoResponse, type Response } from './exchange.ts';
import { expectSilence, SpokeEarly } from './expect-silence.ts';
import { pendingInput, startTurn } from './pending-input.ts';
import type { ResponseHead } from './response-head.ts';

export type Sending = Pick<Parameters<PostEvent>[0], 'mayConnect' | 'headers' | 'body'> & {
  readonly url: EndpointUrl;
  readonly progress: AttemptProgress;
  readonly signal: AbortSignal;
  readonly takeKept: () => Promise<Connection | null>;
  readonly connect: () => Promise<Connection>;
  /** Whether a request may still begin on a kept connection. */
  readonly isUsable: (connection: Connection) => boolean;
};

/** A request with its response, whose end may be yet to come. */
export type Sent = { readonly connection: Connection; readonly response: Response };

/** The connection was closed before the request began. */
const notSent = null;

/**
 * Sends the request on a kept connection, or on a new one. Once it was sent on a kept connection that ended without a
 * response, it is sent again, once, on a new connection.
 *
 * @returns the withdrawal that `mayConnect` or the headers returned; then nothing was sent
 * @throws AttemptFailure
 */
export async function sendRequest(sending: Sending): Promise<Sent | Withdrawal> {
  for (;;) {
    const kept = await sending.takeKept();
    const sent = kept === null ? await sendOnNew(sending) : await sendOn(kept, sending);
    if (sent === notSent) continue;
    if (typeof sent === 'string' || 'response' in sent) return sent;
    const again = await sendOnNew(sending);
    // The first request may have arrived, so this attempt was made.
    if (typeof again === 'string') throw sent.failure;
    return again;
  }
}

async function sendOnNew(sending: Sending): Promise<Sent | Withdrawal> {
  const withdrawal = await askToConnect(sending);
  if (withdrawal !== null) return withdrawal;
  const sent = await sendOn(await sending.connect(), sending);
  if (sent === notSent) throw failureOf(undefined, 'firstByteMs');
  if (typeof sent === 'object' && 'failure' in sent) throw sent.failure;
  return sent;
}

async function askToConnect({ mayConnect, progress, signal }: Sending): Promise<Withdrawal | null> {
  if (mayConnect === undefined) return null;
  const askedAfter = progress.durationMs;
  const withdrawal = await mayConnect();
  if (withdrawal === null && signal.aborted) return tooLate(progress.durationMs - askedAfter, signal);
  return withdrawal;
}

type OnOneConnection = Sent | Withdrawal | NoResponse | typeof notSent;

async function sendOn(connection: Connection, sending: Sending): Promise<OnOneConnection> {
  const { socket } = connection;
  const isKept = connection.idle !== null;
  try {
    const headers = await askForHeaders(connection, sending);
    if (typeof headers !== 'string' && (!isKept || sending.isUsable(connection))) {
      return await exchangeOn(connection, headers, sending);
    }
    socket.destroy();
    return typeof headers === 'string' ? headers : notSent;
  } catch (fault) {
    socket.destroy();
    if (isKept && fault instanceof SpokeEarly) return notSent;
    throw fault;
  }
}

async function exchangeOn(
  connection: Connection,
  headers: Headers,
  { url, body, progress, signal }: Sending,
): Promise<Sent | NoResponse> {
  const { socket } = connection;
  const request = Buffer.concat([requestHead(url, headers, body.byteLength), body]);
  const response = await exchange({ socket, request, progress, signal });
  if ('ended' in response && !isUnasked(connection, response.head)) return { connection, response };
  if ('failure' in response) signal.throwIfAborted();
  socket.destroy();
  return 'failure' in response ? response : { failure: failureOf(undefined, 'firstByteMs') };
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The request line and headers of a POST, as bytes. Names and values stay as given.
 *
 * @throws Error when a header would break the request
 */
function requestHead({ path, host }: EndpointUrl, headers: Headers, bodyLength: number): Buffer {
  const all = {
    Host: host,
    ...headers,
    // Some firewalls refuse a request without it.
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'Content-Length': String(bodyLength),
    Connection: 'keep-alive',
  };
  for (const [key, text] of Object.entries(all)) {
    if (!headerName.test(key) || !headerValue.test(text))
      throw new Error(`Invalid character in the header ${JSON.stringify(key)}`);
  }
  const lines = Object.entries(all).map(([key, text]) => `${key}: ${text}`);
  return Buffer.from([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
}

/**
 * A server that ends an idle connection may say so with a 408, which then crosses the next request. It says that the
 * server has received no request.
 */
function isUnasked({ idle }: Connection, { status, isPersistent }: ResponseHead): boolean {
  return idle !== null && status === 408 && !isPersistent;
}

/**
 * Gets the headers when the request may begin. A call that takes time is repeated: headers are valid only at the moment
 * when they are returned, and the receiver must have been silent until then. The caller limits how often a call takes
 * time, and so does the deadline.
 */
function askForHeaders({ socket }: Connection, { headers, progress, signal }: Sending): Promise<Headers | Withdrawal> {
  const askedAfter = progress.durationMs;
  return expectSilence(socket, async () => {
    // A kept connection does not follow this attempt's deadline until the request uses it.
    signal.throwIfAborted();
    for (;;) {
      const turn = startTurn();
      const answer = await headers();
      if (typeof answer === 'string') return answer;
      if (signal.aborted) return tooLate(progress.durationMs - askedAfter, signal);
      if (!turn.isOver()) return answer;
      await pendingInput();
    }
  });
}

/** The receiver was too slow only if the attempt had less time left than a question may take. */
function tooLate(questionTook: number, signal: AbortSignal): Withdrawal {
  if (questionTook > readingLasts) return 'endpoint_unread';
  throw signal.reason;
}
