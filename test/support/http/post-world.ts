import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, vi } from 'vitest';
import { type Connection, ConnectionPool } from '#shared/http/connection-pool.ts';
import { createPostEvent, type PostEventDeps } from '#shared/http/post-event.ts';
import type { ResolveHost } from '#shared/http/resolve-host.ts';
import { createTlsContexts } from '#shared/http/tls-context.ts';
import type { PostEvent, Posted } from '#shared/operations/ports.ts';
import { startOfTest } from '../values/builders.ts';
import { type Certificate, createTestAuthority, type TestAuthority } from './certificates.ts';
import { type RawReceiver, type RawReceiverOptions, startRawReceiver } from './raw-receiver.ts';
import { type Post, withFixedHeaders } from './sent-request.ts';

const connections = new Map<ConnectionPool, Connection[]>();
const { admit } = ConnectionPool.prototype;
ConnectionPool.prototype.admit = function (...given) {
  const connection = admit.apply(this, given);
  connections.set(this, [...(connections.get(this) ?? []), connection]);
  return connection;
};

/** Milliseconds; longer than any test, so that a slow machine ends no attempt. The test's limit ends one that hangs. */
export const noDeadline = 2 ** 31 - 1;

/** Name of the receivers; it resolves to loopback, which only a trusted origin may. */
export const hostname = 'hooks.example.com';

const webhookId = 'whe_1';

export type PostWorld = {
  readonly authority: TestAuthority;
  readonly certificate: Certificate;
  /** Starts a receiver that speaks TLS with a good certificate by default. */
  receiver(options: RawReceiverOptions): Promise<RawReceiver>;
  /** A client that trusts the receiver's origin and the test authority, for which no time passes. */
  postEvent(port: number, deps?: Partial<PostEventDeps>): PostEvent;
  /** The same, for requests that are never withdrawn. */
  client(port: number, deps?: Partial<PostEventDeps>): Post;
  close(): Promise<void>;
};

export async function createPostWorld(): Promise<PostWorld> {
  const authority = await createTestAuthority();
  const certificate = await authority.issue({ dns: [hostname] });
  const receivers: RawReceiver[] = [];
  const postEvent: PostWorld['postEvent'] = (port, deps) =>
    createPostEvent({
      resolve: resolvesTo('127.0.0.1'),
      trustedOrigins: new Set([originOf(port)]),
      now: () => startOfTest,
      tls: createTlsContexts(authority.ca),
      deadlineMs: noDeadline,
      ...deps,
    });
  return {
    authority,
    certificate,
    receiver: async (options) => {
      const receiver = await startRawReceiver({ tls: certificate, ...options });
      receivers.push(receiver);
      return receiver;
    },
    postEvent,
    client: (port, deps) => withFixedHeaders(postEvent(port, deps)),
    close: async () => {
      await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
      connections.clear();
    },
  };
}

/** A world for the tests of one file, each of which leaves no receiver behind. */
export async function usePostWorld() {
  const world = await createPostWorld();
  afterEach(async () => {
    vi.useRealTimers();
    await world.close();
  });
  /** Starts a receiver with its own client. */
  const endpoint = async (options: RawReceiverOptions, deps?: Partial<PostEventDeps>) => {
    const receiver = await world.receiver(options);
    const client = world.client(receiver.port, deps);
    const postOnce = (id?: string) => post(client, receiver.port, id);
    /** Posts, and waits until the connection is kept or closed. */
    const postAndSettle = (id?: string) => postOnce(id).finally(settled);
    return { ...receiver, client, post: postOnce, postAndSettle };
  };
  return { ...world, endpoint };
}

/** The number of requests that arrived on one connection. */
export function posts(chunks: readonly Buffer[] = []): number {
  return Buffer.concat(chunks).toString('latin1').split('POST /').length - 1;
}

export function originOf(port: number): string {
  return `https://${hostname}:${port}`;
}

export function resolvesTo(...addresses: string[]): ResolveHost {
  return async () => ({ ok: true, addresses });
}

export function post(client: Post, port: number, endpoint = webhookId): Promise<Posted> {
  return postTo(client, `${originOf(port)}/hook`, endpoint);
}

export function postTo(client: Post, url: string, endpoint = webhookId): Promise<Posted> {
  return client({ webhookId: endpoint, url, headers: {}, body: Buffer.from('{}') });
}

/** Answers each complete request (a body of `{}` ends it) with these bytes. */
export function answers(bytes: string): Pick<RawReceiverOptions, 'onData'> {
  return { onData: (socket) => socket.write(bytes) };
}

/** Sends these bytes repeatedly, as fast as the client reads, until the connection is lost. */
function pour(socket: Socket, bytes: string | Uint8Array): void {
  const more = () => {
    while (!socket.destroyed) {
      if (!socket.write(bytes)) return void socket.once('drain', more);
    }
  };
  more();
}

/** Answers these bytes, then others without end. */
export function endless(first: string, more: string | Uint8Array): Pick<RawReceiverOptions, 'onData'> {
  return {
    onData: (socket) => {
      socket.write(first);
      pour(socket, more);
    },
  };
}

/** Answers one character every few milliseconds, the whole text `times` times; reports each character sent. */
export function drip(text: string, times = 1, onLetter?: () => void): (socket: Socket) => void {
  return (socket) => {
    const letters = text.repeat(times)[Symbol.iterator]();
    const timer = setInterval(() => {
      const { value } = letters.next();
      if (socket.destroyed || value === undefined) clearInterval(timer);
      else socket.write(value, onLetter);
    }, 15);
  };
}

/** The open connections of a client. */
function openOf(pool: ConnectionPool): readonly Connection[] {
  return (connections.get(pool) ?? []).filter(({ socket }) => !socket.destroyed);
}

/** Resolves once the clients have read the bodies of all answers, and have kept or closed each connection. */
export async function settled(): Promise<void> {
  while ([...connections.keys()].some((pool) => openOf(pool).length > pool.idleCount)) await wait(2);
}

export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** The connections of the only client that posted in this test. */
export function onlyPool(): ConnectionPool {
  const [pool, ...others] = connections.keys();
  if (pool === undefined || others.length > 0) throw new Error(`There are ${connections.size} pools`);
  return pool;
}

/** Closes every kept connection, as its receiver may at any time. */
export function closeIdleConnections(): void {
  for (const { socket, idle } of [...connections.keys()].flatMap(openOf)) if (idle !== null) socket.destroy();
}
