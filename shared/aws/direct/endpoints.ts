import { type Host, variable } from './host.ts';

/** A service of AWS, by the name in its endpoint and its signatures. */
export type ServiceName = 'dynamodb' | 'sqs' | 'kms' | 'scheduler';

/** The variables that the AWS SDK reads, too: the one of the service goes before the common one. */
export function endpointOf(service: ServiceName, host: Host): URL {
  const environment = host.environment();
  const given = environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || environment.AWS_ENDPOINT_URL;
  return new URL(given || regionalEndpoint(service, variable(host, 'AWS_REGION')));
}

function regionalEndpoint(service: ServiceName, region: string): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${service}.${region}.${suffix}`;
}
