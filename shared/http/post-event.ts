import type { SecureContext } from 'node:tls';
import type { PostResult, Withdrawal } from '#shared/domain/attempt.ts';
import { readingLasts } from '#shared/domain/endpoint.ts';
import { type EndpointUrl, parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { isPublicAddress } from '#shared/domain/public-address.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import type { Headers, PostEvent } from '#shared/operations/ports.ts';
import { AttemptFailure, dnsFailed, timedOut } from './attempt-failure.ts';
import { AttemptProgress } from './attempt-progress.ts';
import { ConnectionPool, type PooledConnection } from './connection-pool.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { exchange } from './exchange.ts';
import { expectSilence, pendingInput, startTurn } from './pending-input.ts';
import { connectPinned } from './pinned-connection.ts';
import type { ResolveHost } from './resolve-host.ts';
import { sharedTlsContext } from './tls-context.ts';

export type PostEventDeps = {
  readonly resolve: ResolveHost;
  /** Origins whose addresses need not be public; empty outside the local stack. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds for DNS, connection, TLS, request and response headers together. Default 10,000. */
  readonly deadlineMs?: number;
  /** TLS settings and roots; the process's by default. */
  readonly secureContext?: SecureContext;
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
    const progress = new AttemptProgress(deps.now);
    const deadline = startDeadline(deadlineMs);
    try {
      const result = await attempt({ deps, pool, request, progress, deadline });
      return typeof result === 'string' ? result : answered(result, progress);
    } catch (error) {
      return failed(deadline.signal.aborted ? timedOut(progress.phase, deadlineMs) : error, progress);
    } finally {
      deadline.end();
    }
  };
}

async function attempt({ deps, pool, request, progress, deadline }: Attempt): Promise<number | Withdrawal> {
  const { signal } = deadline;
  const url = dialable(request.url, deps.trustedOrigins);
  const addresses = await checkedAddresses(url, deps, progress, deadline);
  const secureContext = deps.secureContext ?? sharedTlsContext();
  const use = { webhookId: request.webhookId, url };
  const connect = async (): Promise<PooledConnection> => {
    const socket = await connectPinned({ url, addresses, secureContext, progress, signal });
    await expectSilence(socket, pendingInput);
    return pool.admit(use, socket);
  };
  for (;;) {
    const connection = (await pool.take(use, addresses)) ?? (await connect());
    const headers = await askForHeaders(connection, request, progress, signal).catch((error: unknown) => {
      connection.socket.destroy();
      throw error;
    });
    if (typeof headers !== 'string' && pool.isStillFresh(connection)) {
      return exchange({ pool, connection, url, headers, body: request.body, progress, signal });
    }
    connection.socket.destroy();
    if (typeof headers === 'string') return headers;
  }
}

/**
 * Gets the headers when the request may begin. A call that takes time is repeated: headers are valid only at the moment
 * when they are returned, and the receiver must have been silent until then. The caller limits how often a call takes
 * time, and so does the deadline.
 */
function askForHeaders(
  { socket }: PooledConnection,
  { headers }: Attempt['request'],
  progress: AttemptProgress,
  signal: AbortSignal,
): Promise<Headers | Withdrawal> {
  const askedAfter = progress.durationMs;
  return expectSilence(socket, async () => {
    // A pooled connection does not follow this attempt's deadline until the request uses it.
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

/** The receiver was too slow only if the attempt had less time left than the headers may take. */
function tooLate(headersTook: number, signal: AbortSignal): Withdrawal {
  if (headersTook > readingLasts) return 'endpoint_unread';
  throw signal.reason;
}

/** Checks again: the rules may have become stricter since the URL was stored. */
function dialable(text: string, trustedOrigins: ReadonlySet<string>): EndpointUrl {
  const parsed = parseEndpointUrl(text, { trustedOrigins });
  if (!parsed.ok) throw new AttemptFailure('address_refused', parsed.detail);
  return parsed.url;
}

/** Resolves again for every attempt. A single address that is not public refuses the host. */
async function checkedAddresses(
  url: EndpointUrl,
  deps: PostEventDeps,
  progress: AttemptProgress,
  deadline: Deadline,
): Promise<readonly string[]> {
  const addresses = url.isAddress ? [url.hostname] : await resolved(url.hostname, deps, progress, deadline);
  if (!deps.trustedOrigins.has(url.origin) && !addresses.every(isPublicAddress)) {
    throw new AttemptFailure('address_refused', 'The host name resolves to an address that is not public');
  }
  return addresses;
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

function answered(status: number, progress: AttemptProgress): PostResult {
  const isAcknowledged = status >= 200 && status <= 299;
  return {
    outcome: isAcknowledged ? 'acknowledged' : 'rejected',
    responseStatus: status,
    error: isAcknowledged ? null : `The receiver responded with status ${status}`,
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
    durationMs: progress.durationMs,
    timings: progress.timings,
  };
}
