/** The possible outcomes of an attempt. Only `acknowledged` ends a delivery as delivered. */
export const attemptOutcomes = [
  /** A complete 2xx response head arrived within the deadline. */
  'acknowledged',
  /** A complete response head with any other status. */
  'rejected',
  /** No complete response head within the deadline. */
  'timed_out',
  /** The host is or resolves to an address that is not public, or the URL no longer passes the rules. */
  'address_refused',
  /** The host name did not resolve. */
  'dns_failed',
  /** No TCP connection, or it was lost before the response head was complete. */
  'connection_failed',
  /** The TLS handshake or the check of the certificate failed. */
  'tls_failed',
  /** The response is not valid HTTP/1.1. */
  'invalid_response',
  /** The attempt was claimed, and its worker ended before it could record an outcome. */
  'interrupted',
] as const;

export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Why an attempt ends before anything is sent. */
export type Withdrawal =
  | 'endpoint_deleted'
  /** The endpoint could not be read in time: it may have been deleted. */
  | 'endpoint_unread';

/**
 * Milliseconds of each phase; `null` for a phase that was not reached, or that a reused connection skips (connect,
 * TLS).
 */
export type AttemptTimings = {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  readonly firstByteMs: number | null;
};

/** The result of an outbound POST. A failure of the receiver is a value of this type, never an exception. */
export type PostResult = {
  readonly outcome: Exclude<AttemptOutcome, 'interrupted'>;
  /** Status of the response, when a complete head arrived. */
  readonly responseStatus: number | null;
  /** One printable sentence of at most 200 characters for the customer; `null` when acknowledged. */
  readonly error: string | null;
  /** Whether the request was sent again, because the kept connection that it was sent on ended without a response. */
  readonly isRepeated: boolean;
  /** Milliseconds from the start of the attempt to its end. */
  readonly durationMs: number;
  readonly timings: AttemptTimings;
};

/** One entry of the attempt log of a delivery. */
export type AttemptLogEntry = Omit<PostResult, 'outcome'> & {
  /** Start of the attempt, epoch milliseconds. */
  readonly at: number;
  readonly outcome: AttemptOutcome;
};

/** A stored log entry: another release may have written other outcomes. */
export type LoggedAttempt = Omit<AttemptLogEntry, 'outcome'> & { readonly outcome: string };

export const noTimings: AttemptTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
