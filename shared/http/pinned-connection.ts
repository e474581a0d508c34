import { connect, type Socket } from 'node:net';
import {
  checkServerIdentity,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls';
import type { EndpointUrl } from '#shared/domain/endpoint-url.ts';
import { sameAddress } from '#shared/domain/ip-address.ts';
import { AttemptFailure, failedTwice, failureOf, isUnexplained } from './attempt-failure.ts';
import type { AttemptProgress, Phase } from './attempt-progress.ts';
import { errorCode } from './error-code.ts';
import { fixedLookup } from './fixed-lookup.ts';
import { closeOnceRead } from './pending-input.ts';
import type { TlsContexts } from './tls-context.ts';

export type PinnedTarget = {
  readonly url: EndpointUrl;
  /** The checked addresses. No other address is connected to. */
  readonly addresses: readonly string[];
  readonly tls: TlsContexts;
  readonly progress: AttemptProgress;
  readonly signal: AbortSignal;
};

/**
 * Opens a verified TLS connection to one of the checked addresses. A handshake that dies is tried once more, with a
 * ClientHello that older servers know. Nothing of the request has left by then.
 *
 * @throws AttemptFailure
 */
export async function connectPinned(target: PinnedTarget): Promise<TLSSocket> {
  try {
    return await connectSecurely(target, target.tls.ordinary);
  } catch (failure) {
    if (!isUnexplained(failure) || target.signal.aborted) throw failure;
    return connectSecurely(target, target.tls.classical()).catch((again: unknown) => {
      throw isUnexplained(again) ? failedTwice(again) : again;
    });
  }
}

async function connectSecurely(target: PinnedTarget, secureContext: SecureContext): Promise<TLSSocket> {
  // An aborted signal emits no further event, so nothing would close a connection that is opened after it.
  target.signal.throwIfAborted();
  target.progress.begin('connectMs');
  const tcp = await openTcp(target);
  target.progress.end();
  refuseOtherAddress(tcp, target.addresses);
  target.progress.begin('tlsMs', () => tcp.bytesRead);
  const tls = startTls(tcp, target, secureContext);
  await ready(tls, 'secureConnect', 'tlsMs');
  target.progress.end();
  return tls;
}

/** Whole milliseconds for each address but the last: together less than the deadline. */
function addressTimeout(count: number): number {
  return Math.min(2_000, Math.floor(8_000 / count));
}

/**
 * Tries all addresses. Each but the last has only a part of the time, so the first one is tried once more with all that
 * is left: an overloaded host accepts late, and without IPv6 it may have no other address.
 */
async function openTcp(target: PinnedTarget): Promise<Socket> {
  const { addresses, signal } = target;
  try {
    return await connectTo(addresses, target);
  } catch (failure) {
    const isLate = failure instanceof AttemptFailure && errorCode(failure.cause) === 'ETIMEDOUT';
    if (!isLate || addresses.length === 1 || signal.aborted) throw failure;
    return connectTo(addresses.slice(0, 1), target);
  }
}

/**
 * Tries the addresses one after the other, in turn between the families. If the host is an address, Node calls no
 * `lookup`; the host is then the checked address itself.
 */
async function connectTo(addresses: readonly string[], { url, signal }: PinnedTarget): Promise<Socket> {
  const socket = connect({
    host: url.hostname,
    port: url.port,
    lookup: fixedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeout(addresses.length),
    noDelay: true,
  });
  await ready(destroyOnAbort(socket, signal), 'connect', 'connectMs');
  return socket;
}

/** Checks the actual remote address before the first byte is written, independently of the lookup above. */
function refuseOtherAddress(tcp: Socket, addresses: readonly string[]): void {
  const { remoteAddress: remote } = tcp;
  if (remote !== undefined && addresses.some((address) => sameAddress(address, remote))) return;
  tcp.destroy();
  // A connection that was lost by now has no address.
  if (remote === undefined) throw failureOf(undefined, 'connectMs');
  throw new AttemptFailure('address_refused', 'Connected to an address that had not been checked');
}

/** Requests verification explicitly, so that the environment cannot disable it. */
function startTls(tcp: Socket, { url, signal }: PinnedTarget, secureContext: SecureContext): TLSSocket {
  const socket = tlsConnect({
    socket: tcp,
    host: url.hostname,
    servername: url.isAddress ? '' : url.hostname,
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkAlternativeName,
    ALPNProtocols: ['http/1.1'],
  });
  return destroyOnAbort(socket, signal);
}

/** Looks at the alternative names alone, as browsers do; without one of a host, Node would accept the common name. */
function checkAlternativeName(host: string, certificate: PeerCertificate): Error | undefined {
  return checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
}

/** A socket outlives the code that awaits it, so it keeps a listener for late errors. */
function destroyOnAbort<S extends Socket>(socket: S, signal: AbortSignal): S {
  socket.on('error', () => {});
  signal.addEventListener('abort', () => void closeOnceRead(socket), { once: true });
  return socket;
}

function ready(socket: Socket, event: 'connect' | 'secureConnect', phase: Phase): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error?: unknown) => reject(failureOf(error, phase));
    const lost = () => fail();
    socket.once('error', fail);
    socket.once('close', lost);
    socket.once(event, () => {
      socket.off('error', fail);
      socket.off('close', lost);
      resolve();
    });
  });
}
