import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { signatureFault } from '../parties/receiver/check-signature.ts';
import { RecentMap } from '../parties/receiver/recent-map.ts';
import { findHeader, headerList } from '../servers/header-list.ts';
import { readBody } from '../servers/loopback-server.ts';
import { type Forwarded, forwardDelivery, type ReceivedRequest } from './forward-delivery.ts';

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
  /** Address of one's own server. Default: none; verified requests are answered with 200. */
  readonly forward?: URL | undefined;
  /** Whether the test event of the registration is forwarded too. */
  readonly forwardHandshake: boolean;
  readonly onDelivery: (delivery: ReceivedDelivery) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Events are thin: far below this. */
const maxBodyBytes = 1024 * 1024;

const maxCountedEvents = 10_000;

type State = {
  /** Requests by event id. */
  readonly counts: RecentMap<string, number>;
  /** Whether the next test event is that of the registration: the first one before the secret is known. */
  awaitsHandshake: boolean;
};

/**
 * Answers the requests of the service. Everything but the handshake waits for the secret, and what does not verify is
 * answered 401: behind a tunnel, anyone can send requests, and one's own server must not get them.
 */
export function receiveDeliveries(options: ReceiveOptions): RequestListener {
  const state: State = { counts: new RecentMap(maxCountedEvents), awaitsHandshake: true };
  const stopAwaiting = (): void => {
    state.awaitsHandshake = false;
  };
  options.secret.then(stopAwaiting, stopAwaiting);
  return (request, response) => {
    receive(options, state, request, response).catch(() => response.destroy());
  };
}

async function receive(
  options: ReceiveOptions,
  state: State,
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
  const verify = async () =>
    signatureFault({ at, headers: request.headers, body: received.body }, [await options.secret]);
  const isHandshake = eventType === 'webhook.test' && state.awaitsHandshake;
  if (isHandshake) state.awaitsHandshake = false;
  // The secret arrives in the response to the registration, which waits for the response to the handshake.
  const refusal = isHandshake ? null : await verify();
  const target = isHandshake && !options.forwardHandshake ? undefined : options.forward;
  const forwarded = await respond(target, received, refusal, response);
  const fault = isHandshake ? await verify() : refusal;
  const count = (state.counts.get(eventId ?? '') ?? 0) + 1;
  if (fault === null) state.counts.set(eventId ?? '', count);
  options.onDelivery({
    at,
    eventId: eventId ?? null,
    eventType: eventType ?? null,
    request: fault === null ? count : 1,
    fault,
    isHandshake,
    responseStatus: response.statusCode,
    forwarded,
    body: received.body,
  });
}

async function respond(
  target: URL | undefined,
  received: ReceivedRequest,
  refusal: string | null,
  response: ServerResponse,
): Promise<Forwarded | null> {
  if (refusal === null && target !== undefined) return await forwardDelivery(target, received, response);
  response
    .writeHead(refusal === null ? 200 : 401, { 'content-type': 'text/plain' })
    .end(refusal === null ? '' : `${refusal}\n`);
  return null;
}
