import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkSignature } from '../parties/receiver/check-signature.ts';
import { readBody } from '../servers/loopback-server.ts';
import { EventCounts } from './event-counts.ts';
import { type Forwarded, forwardDelivery, type ReceivedRequest } from './forward-delivery.ts';
import { findHeader, headerList } from './header-list.ts';

/** One request to the receiver, and the response to it. */
export type ReceivedDelivery = {
  /** Epoch milliseconds. */
  readonly at: number;
  /** From the headers, so both are unproven unless the request verified; `null` without the header. */
  readonly eventId: string | null;
  readonly eventType: string | null;
  /** How many requests with this event id have arrived: 2 is a retry or a replay. */
  readonly request: number;
  /** Why it did not verify; `null` when it did. */
  readonly fault: string | null;
  readonly isHandshake: boolean;
  /** The status that the service received. */
  readonly responseStatus: number;
  /** `null` when the request was not forwarded. */
  readonly forwarded: Forwarded | null;
  readonly body: Buffer;
};

export type ReceiveOptions = {
  /** Signing secret. It arrives after the handshake; rejects when the registration fails. */
  readonly secret: Promise<string>;
  readonly isRegistered: () => boolean;
  /** Address of one's own server. Default: none; verified requests are answered with 200. */
  readonly forward?: URL | undefined;
  readonly forwardHandshake: boolean;
  readonly onDelivery: (delivery: ReceivedDelivery) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Events are thin: far below this. */
const maxBodyBytes = 1024 * 1024;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers the requests of the service. Everything but the handshake waits for the secret, and what does not verify is
 * answered 401: behind a tunnel, anyone can send requests, and one's own server must not get them.
 */
export function receiveDeliveries(options: ReceiveOptions): Listener {
  const counts = new EventCounts();
  let handshakeSeen = false;
  const takeHandshake = (eventType: string | undefined): boolean => {
    if (handshakeSeen || options.isRegistered() || eventType !== 'webhook.test') return false;
    handshakeSeen = true;
    return true;
  };
  return (request, response) => {
    receive(options, { counts, takeHandshake }, request, response).catch(() => response.destroy());
  };
}

type State = {
  readonly counts: EventCounts;
  /** Whether the request is the test event of the registration: the first one before the secret is known. */
  readonly takeHandshake: (eventType: string | undefined) => boolean;
};

async function receive(
  options: ReceiveOptions,
  { counts, takeHandshake }: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const at = options.now();
  if (request.method !== 'POST') {
    request.resume();
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const received = { headers: headerList(request.rawHeaders), body: await readBody(request, maxBodyBytes) };
  const eventType = findHeader(received.headers, (name) => /^x-.+-event-type$/.test(name));
  const eventId = findHeader(received.headers, (name) => /^x-.+-event-id$/.test(name));
  const isHandshake = takeHandshake(eventType);
  const early = isHandshake ? await answerHandshake(options, received, response) : undefined;
  const fault = faultOf(request, received.body, await options.secret, at);
  const forwarded = early === undefined ? await answer(options, received, fault, response) : early.forwarded;
  options.onDelivery({
    at,
    eventId: eventId ?? null,
    eventType: eventType ?? null,
    request: fault === null ? counts.add(eventId ?? '') : 1,
    fault,
    isHandshake,
    responseStatus: response.statusCode,
    forwarded,
    body: received.body,
  });
}

/** The secret arrives in the response to the registration, which waits for this answer. */
async function answerHandshake(
  { forward, forwardHandshake }: ReceiveOptions,
  received: ReceivedRequest,
  response: ServerResponse,
): Promise<{ readonly forwarded: Forwarded | null }> {
  if (forward !== undefined && forwardHandshake) {
    return { forwarded: await forwardDelivery({ target: forward }, received, response) };
  }
  response.writeHead(200).end();
  return { forwarded: null };
}

async function answer(
  { forward }: ReceiveOptions,
  received: ReceivedRequest,
  fault: string | null,
  response: ServerResponse,
): Promise<Forwarded | null> {
  if (fault === null && forward !== undefined) {
    return await forwardDelivery({ target: forward }, received, response);
  }
  response
    .writeHead(fault === null ? 200 : 401, { 'content-type': 'text/plain' })
    .end(fault === null ? '' : `${fault}\n`);
  return null;
}

function faultOf({ headers }: IncomingMessage, body: Buffer, secret: string, at: number): string | null {
  const verdict = checkSignature({ at, headers, body }, [secret], '');
  return verdict.verified ? null : verdict.reason;
}
