import { localEnvironmentNames } from '#shared/contract/environment.ts';

/** Number of times that a client tries a request. */
export const requestTries = 3;

/** Milliseconds to wait for a connection to open, and then for each response to begin. Each normally takes a few. */
export const idleTimeout = 3_000;

/** On one machine with everything else, a healthy service may be silent for longer: the local stack sets the time. */
const usedIdleTimeout = Number(process.env[localEnvironmentNames.idleTimeout] ?? idleTimeout);

/**
 * More sockets than a function ever has requests in flight, and fewer than the files it may open. Waiting for a free
 * connection would count towards the connection timeout.
 */
const agent = { maxSockets: 500 } as const;

/** Replaces a client's endpoint, region and credentials; the environment provides the absent ones. */
export type ServiceAddress = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

/** The local stack takes any. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** A service of the local stack. */
export function localAddress(endpoint: string, region: string): ServiceAddress {
  return { endpoint, region, credentials: localCredentials };
}

/**
 * The settings of every AWS client. Without a limit, a service that accepts a request and never responds would block
 * the function until its timeout, and the caller would get no response.
 *
 * The limit applies to a silent connection, not to the request: a request timeout would include the time that a request
 * waits for its turn in this process, and fail requests to a healthy service because this function is busy.
 */
export function clientSettings() {
  const { env } = process;
  // As the AWS CLI and the CDK do: the SDK would take the Region of a profile before that of the second variable.
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  // With the variable, Node.js sends requests through the proxy of the environment, but not those of agents like this.
  const proxy = env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: env };
  return {
    ...(region && { region }),
    maxAttempts: requestTries,
    requestHandler: {
      connectionTimeout: usedIdleTimeout,
      socketTimeout: usedIdleTimeout,
      httpAgent: agent,
      httpsAgent: { ...agent, ...proxy },
    },
  };
}
