import type { Withdrawal } from '#shared/domain/attempt.ts';
import { type Endpoint, isCurrent, validSecrets } from '#shared/domain/endpoint.ts';
import type { Clock, DecryptSecret, ReadLiveEndpoint, Report } from '#shared/operations/ports.ts';

export type ReceiverDeps = {
  readonly now: Clock;
  readonly readLiveEndpoint: ReadLiveEndpoint;
  readonly decryptSecret: DecryptSecret;
  readonly report: Report;
};

/** An endpoint as a worker read it, with the secrets that sign for it. */
export type Receiver = {
  readonly endpoint: Endpoint;
  /** Decrypted, the current one first. */
  readonly secrets: readonly string[];
  /** When the read was sent; epoch milliseconds. */
  readonly readAt: number;
};

/** Reads an endpoint and decrypts its valid secrets. @returns `null` when the endpoint was deleted */
export async function readReceiver(
  deps: ReceiverDeps,
  customerId: string,
  webhookId: string,
): Promise<Receiver | null> {
  const readAt = deps.now();
  const endpoint = await deps.readLiveEndpoint(customerId, webhookId);
  if (endpoint === null) return null;
  const secrets = await Promise.all(
    validSecrets(endpoint, readAt).map((secret) => deps.decryptSecret(secret, { customerId, webhookId })),
  );
  return { endpoint, secrets, readAt };
}

/**
 * Maximum reads per attempt: a slow read may be out of date when it returns. The attempt's own timeout ends the loop in
 * any case.
 */
const maxReads = 5;

/**
 * The current receiver: the known one while its read is recent enough, otherwise a new read.
 *
 * @returns a withdrawal when the endpoint was deleted or no read is recent enough
 */
export async function currentReceiver(deps: ReceiverDeps, known: Receiver): Promise<Receiver | Withdrawal> {
  const { customerId, id: webhookId } = known.endpoint;
  let receiver = known;
  for (let reads = 0; !isCurrent(receiver.readAt, deps.now()); reads += 1) {
    if (reads === maxReads) return 'endpoint_unread';
    try {
      const read = await readReceiver(deps, customerId, webhookId);
      if (read === null) return 'endpoint_deleted';
      receiver = read;
    } catch (cause) {
      deps.report({ name: 'step.failed', step: 'read-endpoint', subject: { customerId, webhookId }, cause });
      return 'endpoint_unread';
    }
  }
  return receiver;
}
