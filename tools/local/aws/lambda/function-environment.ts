import { localEnvironmentNames } from '#shared/contract/environment.ts';
import { localRegion } from '../../template/identities.ts';

/** Origins of the emulators that stand in for AWS services. */
export type ServiceEndpoints = {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly scheduler: string;
  readonly kms: string;
};

/** Milliseconds: emulators share the processors of one machine with everything else, and may only be busy. */
export const localIdleTimeout = 120_000;

/**
 * Variables of every function in addition to those in its template. Limits the AWS SDK to the emulators: the credentials
 * are made up, and the user's profiles and instance metadata are not read. Omits the variables that mark a real Lambda
 * environment, because a function that finds them refuses the local settings.
 */
export function localEnvironment(options: {
  readonly endpoints: ServiceEndpoints;
  readonly trustedOrigins: readonly string[];
  readonly timeScale: number;
  /** Name servers as `address:port`. Default: the system's. */
  readonly nameServers?: readonly string[];
  /** Origin of the stack's token issuer. */
  readonly issuerOrigin: string;
  /** Milliseconds that the functions wait for a silent emulator. Default: `localIdleTimeout`. */
  readonly idleTimeout?: number;
}): Record<string, string> {
  const { endpoints, nameServers = [] } = options;
  return {
    AWS_REGION: localRegion,
    AWS_DEFAULT_REGION: localRegion,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SCHEDULER: endpoints.scheduler,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    TZ: ':UTC',
    [localEnvironmentNames.trustedOrigins]: JSON.stringify(options.trustedOrigins),
    [localEnvironmentNames.timeScale]: String(options.timeScale),
    [localEnvironmentNames.issuerOrigin]: options.issuerOrigin,
    [localEnvironmentNames.idleTimeout]: String(options.idleTimeout ?? localIdleTimeout),
    ...(nameServers.length > 0 && { [localEnvironmentNames.nameServers]: JSON.stringify(nameServers) }),
  };
}
