/** How often a client asks before it gives up. */
export const requestTries = 3;

/** Milliseconds in which a service must answer; each is done in a few when all is well. */
export const requestTimeout = 3_000;

/**
 * What every client of an AWS service is made with. Without a limit a service that takes a request and never answers
 * would hold the function until that is ended from outside, with no answer for whoever called it.
 */
export const clientSettings = {
  maxAttempts: requestTries,
  requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true },
} as const;
