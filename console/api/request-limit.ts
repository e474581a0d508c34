/** What the API last said about the request limit: how many are still admitted, and in how long all of them are again. */
type RequestLimit = { readonly remaining: number; readonly resetSeconds: number };

/** Reads the `RateLimit` field: `"default";r=58;t=31`. @returns `null` when it is absent or has another form */
function readRequestLimit(field: string | null): RequestLimit | null {
  const found = /;r=(\d+);t=(\d+)/.exec(field ?? '');
  return found === null ? null : { remaining: Number(found[1]), resetSeconds: Number(found[2]) };
}

/** Requests that polling leaves to what the reader does. */
const reserve = 20;
const ordinaryDelay = 5_000;

/** The refreshing parts of a page: together they use what the request limit leaves to polling. */
export class RefreshBudget {
  #limit: RequestLimit | null = null;
  #parts = 0;

  /** @param field `RateLimit` of a response */
  learn(field: string | null): void {
    this.#limit = readRequestLimit(field) ?? this.#limit;
  }

  /** Adds a part that refreshes, with one request each time. @returns removes it again */
  join(): () => void {
    this.#parts += 1;
    return () => {
      this.#parts -= 1;
    };
  }

  /**
   * Milliseconds until the next refresh of each part. Polling slows down when few requests are left, so that the reader
   * is never refused because of it.
   */
  delay(): number {
    if (this.#limit === null) return ordinaryDelay;
    const { remaining, resetSeconds } = this.#limit;
    const rounds = Math.floor((remaining - reserve) / Math.max(1, this.#parts));
    return Math.max(ordinaryDelay, (resetSeconds * 1_000) / Math.max(1, rounds));
  }
}
