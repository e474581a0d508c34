import type { ClientRequest } from 'node:http';
import { Agent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EndpointUrl } from '#shared/domain/endpoint-url.ts';
import { sameAddress } from '#shared/domain/ip-address.ts';
import { pendingInput } from './pending-input.ts';

/** A connection for the next request. Its name is unique, so that Node's agent cannot confuse it with another. */
export type PooledConnection = { readonly name: string; readonly socket: Socket };

export type PooledRequestOptions = RequestOptions & { readonly connection: PooledConnection };

/** A connection serves one endpoint at one origin, and so one customer. */
export type ConnectionUse = { readonly webhookId: string; readonly url: EndpointUrl };

type Opened = PooledConnection & {
  readonly webhookId: string;
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly at: number;
};

/**
 * Shorter than the idle timeout of common servers, so that the other side does not close a connection at the moment of
 * its reuse.
 */
const idleMs = 4_000;

/**
 * Counted from the opening, when the certificate was checked. Otherwise steady traffic would trust an expired
 * certificate forever.
 */
const maxAgeMs = 60_000;
/** More than the attempts that a process makes at once, even where one process runs the batches of ten functions. */
const maxIdle = 128;

/**
 * Keeps connections for later attempts at the same endpoint. Endpoints never share a connection, even with the same
 * origin: otherwise bytes injected into the responses of one endpoint could answer for another. Node's agent manages
 * each connection; this class decides which one serves an attempt, also by its remote address.
 */
export class ConnectionPool extends Agent {
  readonly #now: () => number;
  readonly #opened = new WeakMap<Duplex, Opened>();
  readonly #idle = new IdleConnections();
  readonly #idleSince = new WeakMap<Duplex, number>();
  /** Still idle, but reserved for an attempt. */
  readonly #taken = new WeakSet<Duplex>();
  #serial = 0;

  /** @param now epoch milliseconds; shows after a freeze of the process that its connections have aged */
  constructor(now: () => number) {
    super({ keepAlive: true, timeout: idleMs });
    this.#now = now;
  }

  /** An idle connection for this use without pending input, whose remote address is among the checked addresses. */
  async take(use: ConnectionUse, addresses: readonly string[]): Promise<PooledConnection | null> {
    for (;;) {
      const found = this.#find(use, addresses);
      if (found === undefined) return null;
      this.#taken.add(found.socket);
      // Input on an idle connection closes it once it is read.
      await pendingInput();
      if (isUsable(found.socket)) return found;
    }
  }

  #find({ webhookId, url }: ConnectionUse, addresses: readonly string[]): PooledConnection | undefined {
    for (const connection of this.#idle.at(url.origin)) {
      const { socket } = connection;
      if (connection.webhookId !== webhookId || this.#taken.has(socket)) continue;
      if (!this.#isFresh(connection)) continue;
      if (addresses.some((address) => sameAddress(address, socket.remoteAddress ?? ''))) return connection;
    }
    return undefined;
  }

  /** Whether a taken connection can still be used: it was not idle for too long before its request begins. */
  isStillFresh({ socket }: PooledConnection): boolean {
    const since = this.#idleSince.get(socket);
    return since === undefined || this.#isWithin(idleMs, since);
  }

  /** Registers a connection that was just opened. */
  admit({ webhookId, url }: ConnectionUse, socket: Socket): PooledConnection {
    this.#serial += 1;
    const name = `${url.origin} ${this.#serial}`;
    const opened = { name, socket, webhookId, origin: url.origin, at: this.#now() };
    this.#opened.set(socket, opened);
    socket.once('close', () => this.#idle.remove(opened));
    return opened;
  }

  get idleCount(): number {
    return this.#idle.count;
  }

  override getName(options?: PooledRequestOptions): string {
    return options?.connection.name ?? '';
  }

  override createConnection(options: PooledRequestOptions): Duplex {
    return options.connection.socket;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const opened = this.#opened.get(socket);
    if (opened === undefined || this.#idle.count >= maxIdle) return false;
    this.#idleSince.set(socket, this.#now());
    socket.on('data', closeConnection);
    // Node documents that the method returns whether to keep the socket; its type returns nothing.
    const keep: unknown = super.keepSocketAlive(socket);
    if (keep === false) return false;
    this.#idle.add(opened);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    const opened = this.#opened.get(socket);
    if (opened !== undefined) this.#idle.remove(opened);
    this.#taken.delete(socket);
    socket.off('data', closeConnection);
    super.reuseSocket(socket, request);
  }

  /** Closes a connection that is too old: its timer does not run while the process is frozen. */
  #isFresh({ socket, at }: Opened): boolean {
    const isFresh = this.#isWithin(idleMs, this.#idleSince.get(socket)) && this.#isWithin(maxAgeMs, at);
    if (!isFresh) socket.destroy();
    return isFresh && isUsable(socket);
  }

  /** `false` when the clock was set back: the true age is then unknown. */
  #isWithin(limitMs: number, since = Number.NaN): boolean {
    const passed = this.#now() - since;
    return passed >= 0 && passed < limitMs;
  }
}

/** The connections that wait for a request, by origin: the longest idle first. */
class IdleConnections {
  readonly #byOrigin = new Map<string, Set<Opened>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  at(origin: string): ReadonlySet<Opened> {
    return this.#byOrigin.get(origin) ?? none;
  }

  add(connection: Opened): void {
    const atOrigin = this.#byOrigin.get(connection.origin) ?? new Set();
    this.#byOrigin.set(connection.origin, atOrigin.add(connection));
    this.#count += 1;
  }

  remove(connection: Opened): void {
    const atOrigin = this.#byOrigin.get(connection.origin);
    if (atOrigin?.delete(connection) !== true) return;
    this.#count -= 1;
    if (atOrigin.size === 0) this.#byOrigin.delete(connection.origin);
  }
}

const none: ReadonlySet<Opened> = new Set();

function closeConnection(this: Duplex): void {
  this.destroy();
}

function isUsable(socket: Socket): boolean {
  return !socket.destroyed && socket.writable;
}
