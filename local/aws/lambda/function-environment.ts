import { localEnvironmentNames } from '#shared/contract/environment.ts';
import { localRegion } from '../../template/identities.ts';

/** Origins of the emulators that stand in for AWS services. */
export type ServiceEndpoints = {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly scheduler: string;
  readonly kms: string;
};

/**
 * Settings by which an AWS SDK client reaches the emulators and nothing else: the credentials are made up, and the
 * user's own profiles and the instance's metadata are not looked at.
 */
function sdkEnvironment(endpoints: ServiceEndpoints): Record<string, string> {
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
  };
}

/**
 * What every function sees besides the variables of its template. The names that mark real Lambda are left out:
 * the local settings are refused beside them.
 */
export function localEnvironment(options: {
  readonly endpoints: ServiceEndpoints;
  readonly trustedOrigins: readonly string[];
  readonly timeScale: number;
  /** Origin of the stack's token issuer. */
  readonly issuerOrigin: string;
}): Record<string, string> {
  return {
    ...sdkEnvironment(options.endpoints),
    TZ: ':UTC',
    [localEnvironmentNames.trustedOrigins]: JSON.stringify(options.trustedOrigins),
    [localEnvironmentNames.timeScale]: String(options.timeScale),
    [localEnvironmentNames.issuerOrigin]: options.issuerOrigin,
  };
}
