import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EndpointUrl } from '../domain/endpoint-url.ts';
import { sameAddress } from '../domain/ip-address.ts';

/** A connection that a request is to be sent on. Its name is unique, so that no other one can be taken for it. */
export type PooledConnection = { readonly name: string; readonly socket: Socket };

export type PooledRequestOptions = RequestOptions & { readonly connection: PooledConnection };

type Opened = { readonly origin: string; readonly at: number };

/**
 * Shorter than the idle timeout of common servers, so that a connection is not closed by the other side at
 * the moment it is used again.
 */
const idleMs = 4_000;

/**
 * Since the connection was opened, which is when its certificate was checked: under steady traffic one that expired
 * since then would otherwise be trusted for ever.
 */
const maxAgeMs = 60_000;
const maxIdlePerOrigin = 64;
const maxIdle = 128;

/**
 * Keeps connections for later attempts at the same origin. Node's agent does the bookkeeping of each
 * connection; which one serves an attempt is decided here, by its remote address.
 */
export class ConnectionPool extends Agent {
  readonly #now: () => number;
  readonly #opened = new WeakMap<Duplex, Opened>();
  readonly #idleSince = new WeakMap<Duplex, number>();
  /** Given to an attempt that has not begun its request yet. */
  readonly #reserved = new WeakSet<Duplex>();
  #serial = 0;

  /** @param now epoch milliseconds; a frozen process sees by it that its connections have aged */
  constructor(now: () => number) {
    super({ keepAlive: true, timeout: idleMs });
    this.#now = now;
  }

  /**
   * An idle connection to this origin whose remote address is among those just checked. Nobody else gets it; an attempt
   * that does not use it closes it.
   */
  take(url: EndpointUrl, addresses: readonly string[]): PooledConnection | null {
    for (const [name, socket] of this.#idleConnections()) {
      const remote = socket.remoteAddress ?? '';
      const isOfOrigin = this.#opened.get(socket)?.origin === url.origin;
      if (!isOfOrigin || this.#reserved.has(socket)) continue;
      if (this.#isFresh(socket) && addresses.some((one) => sameAddress(one, remote))) {
        this.#reserved.add(socket);
        return { name, socket };
      }
    }
    return null;
  }

  /** Takes a connection in that was just opened. */
  admit(url: EndpointUrl, socket: Socket): PooledConnection {
    this.#serial += 1;
    this.#opened.set(socket, { origin: url.origin, at: this.#now() });
    return { name: `${url.origin} ${this.#serial}`, socket };
  }

  get idleCount(): number {
    return this.#idleConnections().length;
  }

  override getName(options?: PooledRequestOptions): string {
    return options?.connection.name ?? '';
  }

  override createConnection(options: PooledRequestOptions): Duplex {
    return options.connection.socket;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const origin = this.#opened.get(socket)?.origin;
    if (origin === undefined || !this.#hasRoomFor(origin)) {
      return false;
    }
    this.#idleSince.set(socket, this.#now());
    this.#reserved.delete(socket);
    // The method is documented to say whether the socket may be kept; its type says that it returns nothing.
    const keep: unknown = super.keepSocketAlive(socket);
    return keep !== false;
  }

  #hasRoomFor(origin: string): boolean {
    const idle = this.#idleConnections();
    const ofOrigin = idle.filter(([, socket]) => this.#opened.get(socket)?.origin === origin);
    return idle.length < maxIdle && ofOrigin.length < maxIdlePerOrigin;
  }

  /** One that is too old is closed: its timer may have slept with the process. */
  #isFresh(socket: Socket): boolean {
    const isFresh =
      this.#isWithin(idleMs, this.#idleSince.get(socket)) &&
      this.#isWithin(maxAgeMs, this.#opened.get(socket)?.at);
    if (!isFresh) {
      socket.destroy();
    }
    return isFresh && !socket.destroyed && socket.writable;
  }

  /** Not if the clock was set back: nobody knows then how long it has been. */
  #isWithin(limitMs: number, since = Number.NaN): boolean {
    const passed = this.#now() - since;
    return passed >= 0 && passed < limitMs;
  }

  #idleConnections(): [string, Socket][] {
    return Object.entries(this.freeSockets).flatMap(([name, sockets]) =>
      (sockets ?? []).map((socket): [string, Socket] => [name, socket]),
    );
  }
}
