import * as z from 'zod/mini';
import { localEnvironmentNames } from '#shared/contract/environment.ts';

export type LocalSettings = {
  /** https origins of receivers that need no public address. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Name servers as `address:port`; `undefined` for the system's. */
  readonly nameServers: readonly string[] | undefined;
  /** Milliseconds by which a message may arrive before its attempt is due. */
  readonly dueToleranceMs: number;
};

const origins = z.array(z.url({ protocol: /^https$/ }));
const servers = z.array(z.string());
const loopbackOrigin = z.string().check(z.regex(/^http:\/\/127\.0\.0\.1:\d+$/));
const timeScale = z.coerce.number().check(z.minimum(1));

/** Longer than any wait of the retry plan. */
const anyDueTolerance = 24 * 60 * 60 * 1000;

/**
 * The rules that the local stack relaxes. `lib/` never sets these variables in Lambda. A variable that is set there
 * would weaken the service, so the function does not start.
 *
 * @throws Error inside Lambda when one of the variables is set
 */
export function readLocalSettings(env: NodeJS.ProcessEnv = process.env): LocalSettings {
  const given = Object.values(localEnvironmentNames).filter((name) => env[name] !== undefined);
  const first = given[0];
  if (first !== undefined && isLambda(env)) throw new Error(`Cannot start: ${first} must not be set in Lambda`);
  const scale = z.optional(timeScale).parse(env[localEnvironmentNames.timeScale]);
  const nameServers = env[localEnvironmentNames.nameServers];
  return {
    nameServers: nameServers === undefined ? undefined : servers.parse(JSON.parse(nameServers)),
    trustedOrigins: new Set(origins.parse(JSON.parse(env[localEnvironmentNames.trustedOrigins] ?? '[]'))),
    dueToleranceMs: scale === undefined ? 0 : anyDueTolerance,
  };
}

/**
 * The http origin of the local stack's token issuer; `undefined` everywhere else.
 *
 * @throws Error inside Lambda, where `lib/` never sets it
 */
export function readLocalIssuerOrigin(env: NodeJS.ProcessEnv = process.env): string | undefined {
  // Refuses every setting of the local stack inside Lambda.
  readLocalSettings(env);
  return z.optional(loopbackOrigin).parse(env[localEnvironmentNames.issuerOrigin]);
}

function isLambda(env: NodeJS.ProcessEnv): boolean {
  return env.AWS_LAMBDA_FUNCTION_NAME !== undefined || env.AWS_EXECUTION_ENV !== undefined;
}
