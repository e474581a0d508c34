import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EndpointUrl } from '../domain/endpoint-url.ts';
import { sameAddress } from '../domain/ip-address.ts';

/** A connection that a request is to be sent on. Its name is unique, so that no other one can be taken for it. */
export type PooledConnection = { readonly name: string; readonly socket: Socket };

export type PooledRequestOptions = RequestOptions & { readonly connection: PooledConnection };

type Idle = { readonly origin: string; readonly since: number };

/**
 * Shorter than the idle timeout of common servers, so that a connection is not closed by the other side at
 * the moment it is used again.
 */
const idleMs = 4_000;
const maxIdlePerOrigin = 64;
const maxIdle = 128;

/**
 * Keeps connections for later attempts at the same origin. Node's agent does the bookkeeping of each
 * connection; which one serves an attempt is decided here, by its remote address.
 */
export class ConnectionPool extends Agent {
  readonly #now: () => number;
  readonly #idle = new WeakMap<Duplex, Idle>();
  readonly #origins = new WeakMap<Duplex, string>();
  #serial = 0;

  /** @param now epoch milliseconds; a frozen process sees by it that its connections have aged */
  constructor(now: () => number) {
    super({ keepAlive: true, timeout: idleMs });
    this.#now = now;
  }

  /** An idle connection to this origin whose remote address is among those just checked. */
  take(url: EndpointUrl, addresses: readonly string[]): PooledConnection | null {
    for (const [name, socket] of this.#idleConnections()) {
      const remote = socket.remoteAddress ?? '';
      const isOfOrigin = this.#idle.get(socket)?.origin === url.origin;
      if (isOfOrigin && this.#isFresh(socket) && addresses.some((one) => sameAddress(one, remote))) {
        return { name, socket };
      }
    }
    return null;
  }

  /** Takes a connection in that was just opened. */
  admit(url: EndpointUrl, socket: Socket): PooledConnection {
    this.#serial += 1;
    this.#origins.set(socket, url.origin);
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
    const origin = this.#origins.get(socket);
    if (origin === undefined || !this.#hasRoomFor(origin)) {
      return false;
    }
    this.#idle.set(socket, { origin, since: this.#now() });
    // The method is documented to say whether the socket may be kept; its type says that it returns nothing.
    const keep: unknown = super.keepSocketAlive(socket);
    return keep !== false;
  }

  #hasRoomFor(origin: string): boolean {
    const idle = this.#idleConnections();
    const ofOrigin = idle.filter(([, socket]) => this.#idle.get(socket)?.origin === origin);
    return idle.length < maxIdle && ofOrigin.length < maxIdlePerOrigin;
  }

  /** One that is too old is closed: its timer may have slept with the process. */
  #isFresh(socket: Socket): boolean {
    const age = this.#now() - (this.#idle.get(socket)?.since ?? Number.NaN);
    const isFresh = age >= 0 && age < idleMs;
    if (!isFresh) {
      socket.destroy();
    }
    return isFresh && !socket.destroyed && socket.writable;
  }

  #idleConnections(): [string, Socket][] {
    return Object.entries(this.freeSockets).flatMap(([name, sockets]) =>
      (sockets ?? []).map((socket): [string, Socket] => [name, socket]),
    );
  }
}
