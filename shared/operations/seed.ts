import type { EncryptedSecret, Endpoint } from '#shared/domain/endpoint.ts';
import { makeSigningSecret } from '#shared/domain/signing-secret.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { SecretContext } from '#shared/operations/ports.ts';

/** A signing secret, and how it is stored. */
export type NewSecret = { readonly secret: string; readonly encrypted: EncryptedSecret };

/**
 * What a request makes new things from. A request with an `Idempotency-Key` has the same seed in each of its tries, so a
 * try that follows a crash makes the same ids and the same secret, and finds what an earlier one has stored.
 */
export type Seed = {
  /** The time of the request, epoch milliseconds. */
  readonly at: number;
  /** At least ten bytes, others for each label. */
  readonly entropy: (label: string) => Uint8Array;
  /**
   * Over how many partitions it spreads deliveries to an endpoint. A request with a key uses one, because each try must
   * make the same id, although the deliveries of the endpoint may be spread over more by then.
   */
  readonly partitionsOf: (endpoint: Pick<Endpoint, 'deliveryPartitions'>) => number;
  /** Whether an earlier try may have stored something. */
  readonly isRepeated: boolean;
};

/** A seed that makes a signing secret too. */
export type SecretSeed = Seed & { readonly newSecret: (endpoint: SecretContext) => Promise<NewSecret> };

type SeedDeps = Pick<Needs, 'now' | 'randomBytes'>;

/** The seed of a request without a key. */
export function freshSeed({ now, randomBytes }: SeedDeps): Seed {
  return {
    at: now(),
    entropy: () => randomBytes(10),
    partitionsOf: ({ deliveryPartitions }) => deliveryPartitions,
    isRepeated: false,
  };
}

export function freshSecretSeed(deps: SeedDeps & Pick<Needs, 'encryptSecret'>): SecretSeed {
  return { ...freshSeed(deps), newSecret: (endpoint) => makeSecret(deps, endpoint) };
}

export async function makeSecret(
  { randomBytes, encryptSecret }: Pick<Needs, 'randomBytes' | 'encryptSecret'>,
  endpoint: SecretContext,
): Promise<NewSecret> {
  const secret = makeSigningSecret(randomBytes(32));
  return { secret, encrypted: await encryptSecret(secret, endpoint) };
}
