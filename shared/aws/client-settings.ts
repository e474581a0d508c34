/** How many times a client tries a request. */
export const requestTries = 3;

/** Milliseconds in which a service must accept a connection, and then begin to respond. Each usually takes a few. */
export const requestPatience = 3_000;

/**
 * More than a function ever has in flight, and fewer than the files it may open. Waiting for a free connection would
 * count towards the connection timeout.
 */
const agent = { maxSockets: 500 } as const;

/** Where a client sends its requests, and with which credentials. Default: what the environment says. */
export type ServiceAddress = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

/**
 * The settings of every AWS client. Without a limit, a service that accepts a request and never responds would hold the
 * function until its timeout, and the caller would get no response.
 *
 * The limit is on a silent connection, not on the request: a request timeout would also count the time that a request
 * waits for its turn, and give up on a healthy service because this function is busy.
 */
export const clientSettings = {
  maxAttempts: requestTries,
  requestHandler: {
    connectionTimeout: requestPatience,
    socketTimeout: requestPatience,
    httpAgent: agent,
    httpsAgent: agent,
  },
} as const;
