/** What the API last said about the request limit of the credential. */
export type RequestLimit = {
  /** Requests that are still admitted. */
  readonly remaining: number;
  /** Seconds until all of them are again. */
  readonly resetSeconds: number;
};

/** Reads the `RateLimit` field: `"default";r=58;t=31`. @returns `null` when it is absent or has another form */
export function readRequestLimit(field: string | null): RequestLimit | null {
  const found = /;r=(\d+);t=(\d+)/.exec(field ?? '');
  return found === null ? null : { remaining: Number(found[1]), resetSeconds: Number(found[2]) };
}

/** Requests that polling leaves to what the reader does. */
const reserve = 20;
const ordinaryDelay = 5_000;

/**
 * Milliseconds until the next refresh of a list. Polling slows down when few requests are left, so that the reader is
 * never refused because of it.
 *
 * @param requests number of requests of one refresh
 */
export function refreshDelay(limit: RequestLimit | null, requests: number): number {
  if (limit === null) return ordinaryDelay;
  const spare = Math.floor((limit.remaining - reserve) / requests);
  if (spare <= 0) return Math.max(ordinaryDelay, limit.resetSeconds * 1_000);
  return Math.max(ordinaryDelay, (limit.resetSeconds * 1_000) / spare);
}

/** The refreshing parts of a page: together they use what the request limit leaves to polling. */
export class RefreshBudget {
  #limit: RequestLimit | null = null;
  #requests = 0;

  /** @param field `RateLimit` of a response */
  learn(field: string | null): void {
    this.#limit = readRequestLimit(field) ?? this.#limit;
  }

  /**
   * Adds a part that refreshes.
   *
   * @param requests number of requests of one refresh
   * @returns removes it again
   */
  join(requests: number): () => void {
    this.#requests += requests;
    return () => {
      this.#requests -= requests;
    };
  }

  /** Milliseconds until the next refresh of each part. */
  delay(): number {
    return refreshDelay(this.#limit, Math.max(1, this.#requests));
  }
}
