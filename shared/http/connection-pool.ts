import type { Socket } from 'node:net';
import type { EndpointUrl } from '#shared/domain/endpoint-url.ts';
import { sameAddress } from '#shared/domain/ip-address.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { pendingInput } from './pending-input.ts';

/** A connection serves one endpoint at one origin, and so one customer. */
export type ConnectionUse = { readonly webhookId: string; readonly url: EndpointUrl };

/** A connection to an endpoint. Times are epoch milliseconds. */
export type Connection = {
  readonly socket: Socket;
  readonly webhookId: string;
  readonly origin: string;
  readonly openedAt: number;
  /** Since when and until when it may wait for its next request; `null` before its first one. The pool sets it. */
  idle: { readonly since: number; readonly until: number } | null;
};

/**
 * Many servers close an idle connection after two to five seconds, some after one, and few say so. The shorter the
 * time, the fewer requests meet a connection that is being closed.
 */
const maxIdleMs = 1_000;

/**
 * Counted from the opening, when the certificate was checked. Otherwise steady traffic would trust an expired
 * certificate forever.
 */
const maxAgeMs = 60_000;

/** More than the attempts that a process makes at once, even where one process runs the batches of ten functions. */
const maxIdle = 128;

/**
 * Keeps connections for later attempts at the same endpoint. Endpoints never share a connection, even with the same
 * origin: otherwise bytes injected into the responses of one endpoint could answer for another.
 */
export class ConnectionPool {
  readonly #now: Clock;
  readonly #idle = new IdleConnections();
  #sweep: NodeJS.Timeout | null = null;

  /** @param now shows after a freeze of the process that its connections have aged */
  constructor(now: Clock) {
    this.#now = now;
  }

  get idleCount(): number {
    return this.#idle.count;
  }

  /** Registers a connection that was just opened. */
  admit({ webhookId, url }: ConnectionUse, socket: Socket): Connection {
    const connection = { socket, webhookId, origin: url.origin, openedAt: this.#now(), idle: null };
    socket.once('close', () => this.#idle.remove(connection));
    return connection;
  }

  /** An idle connection for this use without pending input, whose remote address is among the checked addresses. */
  async take(use: ConnectionUse, addresses: readonly string[]): Promise<Connection | null> {
    for (;;) {
      const found = this.#find(use, addresses);
      if (found === undefined) return null;
      this.#idle.remove(found);
      // Input on an idle connection closes it once it is read.
      await pendingInput();
      found.socket.off('data', closeConnection).ref();
      if (this.isUsable(found)) return found;
      found.socket.destroy();
    }
  }

  /** Whether a request may begin on the connection: it is open, and was not idle for too long. */
  isUsable({ socket, idle, openedAt }: Connection): boolean {
    if (socket.destroyed || !socket.writable) return false;
    const now = this.#now();
    const isFresh = idle === null || (now >= idle.since && now < idle.until);
    // After the clock was set back, the true age is unknown.
    return isFresh && now >= openedAt && now < openedAt + maxAgeMs;
  }

  /**
   * Keeps a connection whose response is complete, or closes it.
   *
   * @param keptFor milliseconds for which the other side keeps it, if it says so
   */
  keep(connection: Connection, keptFor: number | null): void {
    const { socket } = connection;
    const since = this.#now();
    connection.idle = { since, until: since + Math.min(maxIdleMs, keptFor ?? maxIdleMs) };
    if (this.#idle.count >= maxIdle || !this.isUsable(connection)) {
      socket.destroy();
      return;
    }
    socket.on('data', closeConnection).unref();
    this.#idle.add(connection);
    this.#sweepLater();
  }

  /** The one that was idle for the shortest time. */
  #find({ webhookId, url }: ConnectionUse, addresses: readonly string[]): Connection | undefined {
    return [...this.#idle.at(url.origin)].findLast((connection) => {
      if (connection.webhookId !== webhookId) return false;
      const remote = connection.socket.remoteAddress ?? '';
      return this.isUsable(connection) && addresses.some((address) => sameAddress(address, remote));
    });
  }

  /** Timers do not run while the process is frozen, so this only frees what `take` would not use anyway. */
  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => {
      this.#sweep = null;
      for (const connection of this.#idle.all()) {
        if (!this.isUsable(connection)) connection.socket.destroy();
      }
      if (this.#idle.count > 0) this.#sweepLater();
    }, maxIdleMs).unref();
  }
}

/** The connections that wait for a request, by origin: the longest idle first. */
class IdleConnections {
  readonly #byOrigin = new Map<string, Set<Connection>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  at(origin: string): ReadonlySet<Connection> {
    return this.#byOrigin.get(origin) ?? none;
  }

  all(): readonly Connection[] {
    return [...this.#byOrigin.values()].flatMap((atOrigin) => [...atOrigin]);
  }

  add(connection: Connection): void {
    const atOrigin = this.#byOrigin.get(connection.origin) ?? new Set();
    this.#byOrigin.set(connection.origin, atOrigin.add(connection));
    this.#count += 1;
  }

  remove(connection: Connection): void {
    const atOrigin = this.#byOrigin.get(connection.origin);
    if (atOrigin?.delete(connection) !== true) return;
    this.#count -= 1;
    if (atOrigin.size === 0) this.#byOrigin.delete(connection.origin);
  }
}

const none: ReadonlySet<Connection> = new Set();

function closeConnection(this: Socket): void {
  this.destroy();
}
