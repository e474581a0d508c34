import { authenticateLink, authenticateToken } from '#shared/auth/authenticate.ts';
import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import { toNoticeMessage } from '#shared/contract/messages/notice-message.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { DecryptAnswer, EncryptAnswer } from '#shared/operations/customer/do-once.ts';
import type { SendNotice } from '#shared/operations/delivery/announce-changes.ts';
import type { CheckUrl } from '#shared/operations/ports.ts';
import type { CustomerCache } from '../../support/memory/access.ts';
import { enqueueAttempts, type Send, sendReplayStep } from '../../support/memory/delivery-queue.ts';
import { erasurePorts } from '../../support/memory/erase-customer.ts';
import { askTable } from '../../support/memory/io.ts';
import type { MemoryTable } from '../../support/memory/memory-table.ts';
import type { MemoryQueue } from '../../support/memory/queue.ts';
import { type MemoryScheduler, scheduleAttempt } from '../../support/memory/scheduler.ts';
import { decryptSecret, encryptSecret, type SecretCache } from '../../support/memory/secret-cipher.ts';
import { memoryTablePorts, type TablePorts } from '../../support/memory/table-ports.ts';
import { unexpected } from '../../support/operations/deps.ts';
import type { Invocation } from './invocation.ts';
import type { Journal } from './journal.ts';
import { type Outside, postEvent } from './receivers.ts';
import type { QueueName, Script } from './script.ts';

/** The services that all functions share. */
export type Backend = Outside & {
  readonly script: Script;
  readonly table: MemoryTable;
  readonly queues: Readonly<Record<QueueName, MemoryQueue>>;
  readonly scheduler: MemoryScheduler;
  readonly secretCache: SecretCache;
  /** Of the one warm function that takes in messages. */
  readonly customerCache: CustomerCache;
  send(queue: QueueName, body: string, wait?: number): boolean;
};

/** Fewer than deployed, because an empty shard costs a request and tests nothing. */
const shards = 2;

/** Failures in a row of which the operator is told. */
export const noticeAfter = 3;

/** Milliseconds in which all rows of the table are read. */
const longestScan = 10 * 60_000;

/** How often another release is deployed, which writes another address into its events. */
const releaseInterval = 20 * 60_000;
const releaseAt = (time: number): number => Math.floor(time / releaseInterval);

/** The adapters of one invocation, as a handler connects them. */
export function connect(world: Backend, invocation: Invocation) {
  const { table, queues, customerCache: known } = world;
  const { io, now, monotonic, after, wait } = invocation;
  const stored = memoryTablePorts(table, io, {
    shards,
    retention: { now, days: world.script.retentionDays ?? null },
    warm: { known, now, monotonic },
  });
  const to =
    (queue: QueueName): Send =>
    (body, delay) =>
      world.send(queue, body, delay);
  const lane: Lane = invocation.name === 'deliverSlow' ? 'slow' : 'ordinary';
  return {
    ...stored,
    ...noted(invocation, world.journal, stored),
    ...access(world, invocation, stored),
    // Stored results take no part in deliveries, and no message about them is sent here.
    storeRunItems: unexpected('storeRunItems'),
    storeTracker: unexpected('storeTracker'),
    storeCreatorVideos: unexpected('storeCreatorVideos'),
    now,
    monotonic,
    after,
    wait,
    randomBytes: (size: number) => world.random.bytes(size),
    report: () => {},
    dueToleranceMs: 0,
    serviceName: 'Service',
    standardWebhooks: true,
    baseUrl: `https://api-${releaseAt(world.timeline.now)}.example.com`,
    shards,
    checkUrl: (async (url) => ({ ok: true, url })) satisfies CheckUrl,
    postEvent: postEvent(world, invocation),
    encryptSecret: encryptSecret(io),
    decryptSecret: decryptSecret(io, world.secretCache, { now, monotonic }),
    encryptAnswer: (async (body) =>
      io({ service: 'kms', name: 'seal answer' }, () => body)) satisfies EncryptAnswer,
    decryptAnswer: (async (body) =>
      io({ service: 'kms', name: 'open answer' }, () => body)) satisfies DecryptAnswer,
    areQueuesEmpty: () =>
      io({ service: 'queue', name: 'count messages' }, () =>
        Object.values(queues).every(({ bodies }) => bodies.length === 0),
      ),
    lane,
    enqueueAttempts: enqueueAttempts({ ordinary: to('delivery'), slow: to('slowDelivery') }, io),
    scheduleAttempt: scheduleAttempt(world.scheduler, io, now),
    sendReplayStep: sendReplayStep(to('replay'), io),
    noticeAfter: noticeAfter as number | null,
    sendNotice: (async (endpoint, notice) => {
      const message = toNoticeMessage(endpoint, notice, { stage: 'test', consoleUrl: '' });
      await io({ service: 'queue', name: 'send notice' }, () => world.journal.notices.push(message));
    }) satisfies SendNotice,
  };
}

/** What lets somebody act for a customer, and the end of a customer. */
function access({ table, random }: Backend, { io, now, wait }: Invocation, stored: TablePorts) {
  const { findPortalLink, readConnection } = stored;
  const ask = askTable(io);
  return {
    /** Of a customer, operations need only to know that it exists. */
    readCustomer: (id: string) =>
      ask('read customer', () => (table.hasCustomer(id) ? { id, name: id, createdAt: 0 } : null)),
    makeCredential: makePortalCredential,
    hashCredential,
    findApiKey: async () => null,
    authenticateLink: authenticateLink({ now, findPortalLink }),
    // The signature of a token is checked without a request.
    authenticateToken: authenticateToken({
      verifyToken: async (token) => token.split('.')[1] ?? '',
      readConnection,
    }),
    ...erasurePorts(table, ask, now, () => wait(random.oneIn(2) ? 0 : random.below(longestScan))),
  };
}

type Noted = Pick<TablePorts, 'claimAttempt' | 'releaseAttempt' | 'recordAttempt'>;

/** Records the requests of a function about its claims, whether or not they are served. */
function noted(invocation: Invocation, journal: Journal, ports: Noted): Noted {
  return {
    claimAttempt: (key, attempt, claim) => {
      const asked = { at: invocation.now(), timeLeft: invocation.timeLeft() };
      journal.claimsAsked.push({ token: claim.fencingToken, ...asked });
      return ports.claimAttempt(key, attempt, claim);
    },
    releaseAttempt: (key, attempt, fencingToken) => {
      journal.releasesAsked.add(fencingToken);
      return ports.releaseAttempt(key, attempt, fencingToken);
    },
    recordAttempt: (recorded) => {
      if (recorded.entry.outcome !== 'interrupted') journal.recordsAsked.add(recorded.fencingToken);
      return ports.recordAttempt(recorded);
    },
  };
}

export type Ports = ReturnType<typeof connect>;

/** Replaces adapters of a function, to make a mutant. */
export type PortPatch = (ports: Ports, world: Backend, invocation: Invocation) => Partial<Ports>;
