import type { IncomingHttpHeaders } from 'node:http';

/** One request, as received. */
export type ReceivedRequest = {
  /** Path without the leading slash, chosen by the sender; `''` for the root. */
  readonly name: string;
  /** Arrival of the request line and headers, epoch milliseconds. */
  readonly at: number;
  /** Request target, query included. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type InboxLimits = { readonly maxRequests: number; readonly maxBytes: number };

/** Keeps requests, oldest first, and drops the oldest beyond its limits. */
export class Inbox {
  readonly #limits: InboxLimits;
  #requests: ReceivedRequest[] = [];
  #bytes = 0;

  constructor(limits: InboxLimits) {
    this.#limits = limits;
  }

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    this.#bytes += sizeOf(request);
    while (this.#requests.length > this.#limits.maxRequests || this.#bytes > this.#limits.maxBytes) {
      const oldest = this.#requests.shift();
      if (oldest === undefined) return;
      this.#bytes -= sizeOf(oldest);
    }
  }

  /** The requests to a name, or all requests, in order of arrival. */
  list(name: string | null): readonly ReceivedRequest[] {
    return this.#requests.filter((request) => name === null || request.name === name);
  }

  clear(name: string | null): void {
    this.#requests = name === null ? [] : this.#requests.filter((request) => request.name !== name);
    this.#bytes = this.#requests.reduce((sum, request) => sum + sizeOf(request), 0);
  }
}

function sizeOf({ path, headers, body }: ReceivedRequest): number {
  let size = body.length + path.length;
  for (const [name, value] of Object.entries(headers)) size += name.length + String(value).length;
  return size;
}
