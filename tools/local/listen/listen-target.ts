import { isLocalhostName } from '#shared/http/resolve-trusted.ts';
import type { ApiAccess } from '../../../packages/api-client/client.ts';
import { readLocalStack } from '../../operator/cli/local-stack-file.ts';
import { UsageError } from '../../operator/cli/usage-error.ts';
import { isLoopbackAddress } from '../servers/loopback-address.ts';
import { type StackFile, stackFileSchema } from '../stack/stack-file.ts';
import type { Place } from './open-receiver.ts';

export type TargetFlags = {
  readonly key?: string;
  readonly api?: string;
  readonly stage?: string;
  readonly stackFile: string;
  readonly url?: string;
  readonly port?: number;
};

export type ListenTarget = {
  readonly access: ApiAccess;
  /** Where the API key comes from. */
  readonly keySource: '--key' | 'API_KEY' | 'the local stack';
  readonly place: Place;
  /** The customer of the key, if the local stack made it. */
  readonly customerId: string | undefined;
};

export type TargetDeps = {
  /** The API key of the environment. */
  readonly environmentKey: string | undefined;
  /** Finds the address of the API of a deployed stage. Default: none, for flags without a stage. */
  readonly findApiUrl?: (stage: string) => Promise<string>;
};

/** Port that a tunnel connects to. */
const defaultTunnelPort = 9450;

/**
 * Decides which API to call, as whom, and where its requests arrive.
 *
 * @throws UsageError when a flag is missing; Error when the stack or the stage is not found
 */
export async function findTarget(flags: TargetFlags, deps: TargetDeps): Promise<ListenTarget> {
  if (flags.url === undefined && flags.port !== undefined) {
    throw new UsageError('--port is the port of a tunnel: give the URL of the tunnel with --url');
  }
  const apiUrl = flags.stage === undefined ? flags.api : await deps.findApiUrl?.(flags.stage);
  if (apiUrl !== undefined && (!isLoopback(apiUrl) || flags.url !== undefined)) {
    return remoteTarget(apiUrl, flags, deps);
  }
  return await localTarget(apiUrl, flags, deps);
}

function remoteTarget(apiUrl: string, flags: TargetFlags, { environmentKey }: TargetDeps): ListenTarget {
  const port = flags.port ?? defaultTunnelPort;
  if (flags.url === undefined) throw new UsageError(tunnelNeeded(apiUrl, port));
  const given = givenKey(flags, environmentKey);
  if (given === undefined) throw new UsageError(`Give an API key of ${apiUrl} with --key or in API_KEY`);
  const { key, keySource } = given;
  const place = { kind: 'tunnel', url: flags.url, port } as const;
  return { access: { url: apiUrl, credential: key }, keySource, place, customerId: undefined };
}

async function localTarget(
  apiUrl: string | undefined,
  flags: TargetFlags,
  { environmentKey }: TargetDeps,
): Promise<ListenTarget> {
  const stack = await readLocalStack(flags.stackFile, stackFileSchema);
  if (apiUrl !== undefined && apiUrl !== stack.api_url) {
    throw new UsageError(
      `${flags.stackFile} describes the stack at ${stack.api_url}, not ${apiUrl}: name its file with --stack-file`,
    );
  }
  const own = { key: stack.customers[0]?.api_key, keySource: 'the local stack' } as const;
  const { key, keySource } = givenKey(flags, environmentKey) ?? own;
  if (key === undefined) throw new UsageError('The stack has no customer: give an API key with --key');
  return {
    access: { url: stack.api_url, credential: key },
    keySource,
    place: placeOf(stack, flags),
    customerId: stack.customers.find(({ api_key }) => api_key === key)?.id,
  };
}

function givenKey({ key }: TargetFlags, environmentKey: string | undefined) {
  if (key !== undefined) return { key, keySource: '--key' } as const;
  return environmentKey === undefined ? undefined : ({ key: environmentKey, keySource: 'API_KEY' } as const);
}

function placeOf({ listen }: StackFile, { url, port = defaultTunnelPort }: TargetFlags): Place {
  return url === undefined
    ? { kind: 'stack', origins: listen.origins, certFile: listen.cert_file, keyFile: listen.key_file }
    : { kind: 'tunnel', url, port };
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return isLocalhostName(hostname) || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
}

function tunnelNeeded(apiUrl: string, port: number): string {
  return [
    `${apiUrl} cannot reach this machine without a tunnel, and delivers to public https addresses only.`,
    `1. Start a tunnel of your choice to http://127.0.0.1:${port}, for example: cloudflared tunnel --url http://127.0.0.1:${port}`,
    '2. Run this command again with the https URL that the tunnel prints: --url https://…',
    `--port chooses another port than ${port}`,
  ].join('\n');
}
