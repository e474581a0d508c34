import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionPool } from '#shared/http/connection-pool.ts';
import { createPostEvent } from '#shared/http/post-event.ts';
import { withFixedHeaders } from './sent-request.ts';

// A process that only posts, as a warm function does, and prints its figures. Run it with `--expose-gc`.

/** Its only argument. */
export type PostingPlan = {
  /** Used in turn, repeatedly. Their hosts are all loopback, and trusted. */
  readonly urls: readonly string[];
  readonly posts: number;
  /** Posts of one batch. */
  readonly atOnce: number;
  readonly deadlineMs: number;
};

/** What it prints at its end. Sizes are bytes. */
export type PostingFigures = {
  readonly outcomes: Readonly<Record<string, number>>;
  /** What was read from the sockets of all connections. */
  readonly totalBytesRead: number;
  /** Between the end of the first batch and the end of the last, after garbage collection. */
  readonly heapGrowth: number;
  /** Most connections that waited in the pool after a batch. */
  readonly maxIdle: number;
  /** Most listeners on any connection after a batch. */
  readonly maxListeners: number;
  /** Connections, timers and other resources, once every connection had time to be closed. */
  readonly left: readonly string[];
  readonly hasDecompressor: boolean;
};

const plan: PostingPlan = JSON.parse(process.argv[2] ?? '');
const postEvent = withFixedHeaders(
  createPostEvent({
    resolve: async () => ({ ok: true, addresses: ['127.0.0.1'] }),
    trustedOrigins: new Set(plan.urls.map((url) => new URL(url).origin)),
    now: Date.now,
    deadlineMs: plan.deadlineMs,
  }),
);
const pools = new Set<ConnectionPool>();
const open = new Set<Socket>();
const outcomes: Record<string, number> = {};
let posted = 0;
let totalBytesRead = 0;
let maxListeners = 0;
let maxIdle = 0;

const { admit } = ConnectionPool.prototype;
ConnectionPool.prototype.admit = function (use, socket) {
  pools.add(this);
  open.add(socket);
  socket.once('close', () => {
    open.delete(socket);
    totalBytesRead += socket.bytesRead;
  });
  return admit.call(this, use, socket);
};

async function postBatch(): Promise<void> {
  const batch = Array.from({ length: plan.atOnce }, async (_, index) => {
    const url = plan.urls[(posted + index) % plan.urls.length] ?? '';
    const { outcome } = await postEvent({ webhookId: 'whe_1', url, headers: {}, body: Buffer.from('{}') });
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  });
  posted += batch.length;
  await Promise.all(batch);
  // Answers that end with their head give their connection back a moment later.
  await wait(1);
  maxIdle = Math.max(maxIdle, ...[...pools].map((pool) => pool.idleCount));
  maxListeners = Math.max(maxListeners, ...[...open].map(countListeners));
}

function countListeners(socket: Socket): number {
  return socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Without standard streams. A connection that waits in the pool does not keep the process alive, so it is added. */
function leftOver(): string[] {
  const resources = process.getActiveResourcesInfo().filter((name) => !/^(Pipe|File|TTY)/.test(name));
  return [...resources, ...Array.from(open, () => 'connection')];
}

await postBatch();
const heapAtFirst = heapUsed();
while (posted < plan.posts) await postBatch();
const heapGrowth = heapUsed() - heapAtFirst;
for (let looks = 0; looks < 3_000 && leftOver().length > 0; looks += 1) await wait(20);
const figures: PostingFigures = {
  outcomes,
  totalBytesRead,
  heapGrowth,
  maxIdle,
  maxListeners,
  left: leftOver(),
  // Node's own modules that this process has loaded; Node's type declarations lack the list.
  hasDecompressor: Reflect.get(process, 'moduleLoadList').includes('NativeModule zlib'),
};
process.stdout.write(JSON.stringify(figures));
