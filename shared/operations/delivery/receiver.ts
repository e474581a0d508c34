import { readLiveEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import type { Withdrawal } from '#shared/domain/attempt.ts';
import { type Endpoint, isCurrent, validSecrets } from '#shared/domain/endpoint.ts';
import type { Needs } from '#shared/operations/needs.ts';

export type ReceiverDeps = Pick<Needs, 'table' | 'monotonic' | 'report'>;

/** An endpoint as a worker read it, with the secrets that sign for it. */
export type Receiver = {
  readonly endpoint: Endpoint;
  /** Decrypted, the current one first. */
  readonly secrets: readonly string[];
  /** When the read was sent, by `monotonic`. */
  readonly readAt: number;
};

/** Gives the secrets that sign for an endpoint, the current one first. */
export type OpenSecrets = (endpoint: Endpoint) => Promise<readonly string[]>;

type OpenDeps = Pick<Needs, 'now' | 'decryptSecret'>;

/** Decrypts the secrets that are valid at the time of each call. */
export function openSecrets({ now, decryptSecret }: OpenDeps): OpenSecrets {
  return (endpoint) => {
    const owner = { customerId: endpoint.customerId, webhookId: endpoint.id };
    return Promise.all(validSecrets(endpoint, now()).map((secret) => decryptSecret(secret, owner)));
  };
}

/** Reads an endpoint without its secrets. @returns `null` when the endpoint was deleted */
export async function readTimed(
  { table, monotonic }: Pick<ReceiverDeps, 'table' | 'monotonic'>,
  customerId: string,
  webhookId: string,
): Promise<Omit<Receiver, 'secrets'> | null> {
  let readAt = monotonic();
  // The request may have waited for others of this process.
  const endpoint = await readLiveEndpoint(table, customerId, webhookId, () => {
    readAt = monotonic();
  });
  return endpoint && { endpoint, readAt };
}

/** Reads an endpoint and opens its secrets. @returns `null` when the endpoint was deleted */
export async function readReceiver(
  deps: ReceiverDeps,
  open: OpenSecrets,
  customerId: string,
  webhookId: string,
): Promise<Receiver | null> {
  const read = await readTimed(deps, customerId, webhookId);
  return read && { ...read, secrets: await open(read.endpoint) };
}

/** One endpoint during one batch. Its attempts share each read, so that ten of them do not delay each other by ten. */
export class SharedReceiver {
  /** As it was first read. */
  readonly endpoint: Endpoint;
  readonly #deps: ReceiverDeps;
  readonly #open: OpenSecrets;
  #newest: Receiver;
  #reading: Promise<Withdrawal | null> | null = null;

  constructor(deps: ReceiverDeps, open: OpenSecrets, first: Receiver) {
    this.endpoint = first.endpoint;
    this.#deps = deps;
    this.#open = open;
    this.#newest = first;
  }

  /** As it was last read. */
  get newest(): Endpoint {
    return this.#newest.endpoint;
  }

  /** When the newest read was sent, by `monotonic`. */
  get readAt(): number {
    return this.#newest.readAt;
  }

  /** The newest read; `null` when it is too old to act on. */
  get current(): Receiver | null {
    return isCurrent(this.#newest.readAt, this.#deps.monotonic()) ? this.#newest : null;
  }

  /** Reads the endpoint, or waits for the read that is on its way. @returns why no attempt may begin, or `null` */
  read(): Promise<Withdrawal | null> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<Withdrawal | null> {
    const { customerId, id: webhookId } = this.endpoint;
    try {
      const read = await readReceiver(this.#deps, this.#open, customerId, webhookId);
      if (read === null) return 'endpoint_deleted';
      this.#newest = read;
      return null;
    } catch (cause) {
      const subject = { customerId, webhookId };
      this.#deps.report({ name: 'step.failed', step: 'read-endpoint', subject, cause });
      return 'endpoint_unread';
    }
  }
}

/**
 * Maximum reads that one attempt waits for: a read may be too old when it returns, or when the request could begin. The
 * attempt's own timeout ends the waiting in any case.
 */
const maxReads = 10;

/**
 * Asks for the receiver on behalf of one attempt, as often as needed: the newest read while it is recent enough,
 * otherwise a new one.
 *
 * @returns a withdrawal when the endpoint was deleted or no read is recent enough
 */
export function askFor(receiver: SharedReceiver): () => Promise<Receiver | Withdrawal> {
  let reads = 0;
  return async () => {
    for (;;) {
      const { current } = receiver;
      if (current !== null) return current;
      if (reads === maxReads) return 'endpoint_unread';
      reads += 1;
      const withdrawal = await receiver.read();
      if (withdrawal !== null) return withdrawal;
    }
  };
}
