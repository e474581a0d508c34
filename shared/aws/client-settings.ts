/** How often a client asks before it gives up. */
export const requestTries = 3;

/** Milliseconds in which a service must be reached, and then begin to answer; each takes a few when all is well. */
export const requestPatience = 3_000;

/**
 * More than a function ever has in flight, and less than the files it may open. A request that waits for the connection
 * of another is given up by the limit on connecting, which counts that.
 */
const agent = { maxSockets: 500 } as const;

/** Where a client sends its requests, and with which credentials. Default: what the environment says. */
export type ServiceAddress = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

/**
 * What every client of an AWS service is made with. Without a limit a service that takes a request and never answers
 * would hold the function until that is ended from outside, with no answer for whoever called it.
 *
 * The limit is on a silent connection, not on the request: that would also count the time in which a request of ours
 * waits for its turn, and give up on a service that is well because we are busy.
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
