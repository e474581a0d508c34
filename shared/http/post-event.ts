import type { PostResult, Withdrawal } from '#shared/domain/attempt.ts';
import { type EndpointUrl, parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { isPublicAddress } from '#shared/domain/public-address.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import type { Clock, PostEvent } from '#shared/operations/ports.ts';
import { AttemptFailure, addressRefused, dnsFailed, timedOut } from './attempt-failure.ts';
import { AttemptProgress } from './attempt-progress.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { expectSilence } from './expect-silence.ts';
import { pendingInput } from './pending-input.ts';
import { connectPinned } from './pinned-connection.ts';
import type { ResolveHost } from './resolve-host.ts';
import { type Sending, type Sent, sendRequest } from './send-request.ts';
import { sharedTlsContexts, type TlsContexts } from './tls-context.ts';

export type PostEventDeps = {
  readonly resolve: ResolveHost;
  /** Origins whose addresses need not be public; empty outside the local stack. */
  readonly trustedOrigins: ReadonlySet<string>;
  readonly now: Clock;
  /** Milliseconds for DNS, connection, TLS, request and response headers together. Default 10,000. */
  readonly deadlineMs?: number;
  /** TLS settings and roots; the process's by default. */
  readonly tls?: TlsContexts;
};

type Attempt = {
  readonly deps: PostEventDeps;
  readonly pool: ConnectionPool;
  readonly request: Parameters<PostEvent>[0];
  readonly progress: AttemptProgress;
  readonly deadline: Deadline;
};

/** Creates the service's only sender of outbound requests. It keeps connections for later attempts. */
export function createPostEvent(deps: PostEventDeps): PostEvent {
  const pool = new ConnectionPool(deps.now);
  const deadlineMs = deps.deadlineMs ?? attemptTimeout;
  return async (request) => {
    const progress = new AttemptProgress(deps.now, request.onSlow);
    const deadline = startDeadline(deadlineMs);
    const end = (): number => {
      deadline.end();
      progress.stop();
      return progress.waitedMs;
    };
    try {
      const sent = await attempt({ deps, pool, request, progress, deadline });
      if (typeof sent !== 'string') return { ...answered(sent, progress), ended: readToEnd(pool, sent).then(end) };
      end();
      return sent;
    } catch (error) {
      const failure = deadline.signal.aborted ? timedOut(progress.phase, deadlineMs) : error;
      return { ...failed(failure, progress), ended: Promise.resolve(end()) };
    }
  };
}

/**
 * Sends the request once. Only a kept connection that ends without a response leads to another request, on a new
 * connection (docs/decisions/0021-ended-kept-connections.md).
 */
async function attempt({ deps, pool, request, progress, deadline }: Attempt): Promise<Sent | Withdrawal> {
  const { signal } = deadline;
  const url = dialable(request.url, deps.trustedOrigins);
  const addresses = await checkedAddresses(url, deps, progress, deadline);
  const use = { webhookId: request.webhookId, url };
  const tls = deps.tls ?? sharedTlsContexts();
  const sending: Sending = {
    ...request,
    url,
    progress,
    signal,
    isUsable: (connection) => pool.isUsable(connection),
    takeKept: () => pool.take(use, addresses),
    connect: async () => {
      const socket = await connectPinned({ url, addresses, tls, progress, signal });
      await expectSilence(socket, pendingInput);
      return pool.admit(use, socket);
    },
  };
  return sendRequest(sending);
}

/** Reads a response to its end, and keeps its connection if it can. */
async function readToEnd(pool: ConnectionPool, { connection, response }: Sent): Promise<void> {
  if (await response.ended) pool.keep(connection, response.head.keptFor);
  else connection.socket.destroy();
}

/** Checks again: the rules may have become stricter since the URL was stored. */
function dialable(text: string, trustedOrigins: ReadonlySet<string>): EndpointUrl {
  const parsed = parseEndpointUrl(text, { trustedOrigins });
  if (!parsed.ok) throw new AttemptFailure('address_refused', parsed.detail);
  return parsed.url;
}

/** A name server can answer with thousands, and an attempt must not become a scan of them. */
const maxConnectedTo = 16;

/**
 * Resolves again for every attempt. A single address that is not public refuses the host.
 *
 * @returns the first of the addresses
 */
async function checkedAddresses(
  url: EndpointUrl,
  deps: PostEventDeps,
  progress: AttemptProgress,
  deadline: Deadline,
): Promise<readonly string[]> {
  const addresses = url.isAddress ? [url.hostname] : await resolved(url.hostname, deps, progress, deadline);
  const refused = deps.trustedOrigins.has(url.origin) ? undefined : addresses.find((each) => !isPublicAddress(each));
  if (refused !== undefined) throw addressRefused(refused);
  return addresses.slice(0, maxConnectedTo);
}

async function resolved(
  hostname: string,
  deps: PostEventDeps,
  progress: AttemptProgress,
  deadline: Deadline,
): Promise<readonly string[]> {
  progress.begin('dnsMs');
  const host = await deadline.limit(deps.resolve(hostname, deadline.signal));
  deadline.signal.throwIfAborted();
  progress.end();
  if (!host?.ok) throw dnsFailed(host?.code ?? '');
  return host.addresses;
}

function answered({ response }: Sent, progress: AttemptProgress): PostResult {
  const { status, isChallenge } = response.head;
  const isAcknowledged = status >= 200 && status <= 299;
  return {
    outcome: isAcknowledged ? 'acknowledged' : 'rejected',
    responseStatus: status,
    error: isAcknowledged
      ? null
      : `The receiver responded with status ${status}${isChallenge ? ' and a challenge for browsers' : ''}`,
    isRepeated: progress.isRepeated,
    durationMs: progress.durationMs,
    timings: progress.timings,
  };
}

/** Every other error than an AttemptFailure is a fault of this service and is rethrown. */
function failed(failure: unknown, progress: AttemptProgress): PostResult {
  if (!(failure instanceof AttemptFailure)) throw failure;
  return {
    outcome: failure.outcome,
    responseStatus: null,
    error: failure.message,
    isRepeated: progress.isRepeated,
    durationMs: progress.durationMs,
    timings: progress.timings,
  };
}
