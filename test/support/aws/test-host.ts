import type { Host } from '#shared/aws/direct/host.ts';

/** A process whose AWS clients reach one address, and that waits for nothing. */
export function testHost(
  endpoint: string,
  more: Partial<Host> & { readonly variables?: Variables } = {},
): Host {
  const { variables = {}, ...rest } = more;
  const environment: Variables = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    ...variables,
  };
  return {
    environment: () => environment,
    now: Date.now,
    backoff: { wait: async () => {}, random: () => 0 },
    ...rest,
  };
}

type Variables = Readonly<Record<string, string | undefined>>;
