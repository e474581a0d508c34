import { type Endpoint, isCurrent } from '#shared/domain/endpoint.ts';
import type { Clock, OpenSecret, ReadLiveEndpoint, Report, Withdrawal } from '#shared/operations/ports.ts';
import { openValidSecrets } from './sign-event.ts';

export type ReceiverDeps = {
  readonly now: Clock;
  readonly readLiveEndpoint: ReadLiveEndpoint;
  readonly openSecret: OpenSecret;
};

/** What a worker read of an endpoint, with the secrets that sign for it. */
export type Receiver = {
  readonly endpoint: Endpoint;
  readonly secrets: readonly string[];
  /** When the read was sent; epoch milliseconds. */
  readonly readAt: number;
};

/** Reads an endpoint and opens its secrets. @returns `null` when it was deleted */
export async function readReceiver(
  deps: ReceiverDeps,
  customerId: string,
  webhookId: string,
): Promise<Receiver | null> {
  const readAt = deps.now();
  const endpoint = await deps.readLiveEndpoint(customerId, webhookId);
  if (endpoint === null) return null;
  const secrets = await openValidSecrets(endpoint, readAt, deps.openSecret);
  return { endpoint, secrets, readAt };
}

/**
 * A read that takes longer than it lasts is of no use, on a service that is slow for a moment or while a new secret is
 * opened. The attempt's own time ends this in any case.
 */
const mostReads = 5;

type Reading = Pick<Receiver, 'secrets' | 'readAt'>;

/**
 * Tells, each time that it is asked, the secrets to sign a request with that begins in that moment.
 *
 * @param known what was read of the endpoint before
 * @param read reads it again, when what is known is no longer current; `null` when it was deleted
 */
export function currentSecrets(
  deps: { readonly now: Clock; readonly report: Report },
  known: Reading,
  read: () => Promise<Reading | null>,
): () => Promise<readonly string[] | Withdrawal> {
  let latest = known;
  return async () => {
    for (let reads = 0; !isCurrent(latest.readAt, deps.now()); reads += 1) {
      if (reads === mostReads) return 'endpoint_unread';
      try {
        const reading = await read();
        if (reading === null) return 'endpoint_deleted';
        latest = reading;
      } catch (cause) {
        deps.report({ name: 'step.failed', step: 'read-endpoint', cause });
        return 'endpoint_unread';
      }
    }
    return latest.secrets;
  };
}
