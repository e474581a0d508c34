import { authenticateLink } from '#shared/auth/authenticate-link.ts';
import { authenticateToken } from '#shared/auth/authenticate-token.ts';
import { hashCredential } from '#shared/auth/checked-token.ts';
import { makePortalCredential } from '#shared/auth/portal-credential.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { CheckUrl } from '#shared/operations/ports.ts';
import type { CustomerCache } from '../../support/memory/access.ts';
import {
  enqueueAttempts,
  enqueueDelayed,
  type Send,
  sendReplayStep,
} from '../../support/memory/delivery-queue.ts';
import { erasurePorts } from '../../support/memory/erase-customer.ts';
import { askTable } from '../../support/memory/io.ts';
import type { MemoryTable } from '../../support/memory/memory-table.ts';
import { type MemoryScheduler, scheduleAttempt } from '../../support/memory/scheduler.ts';
import { decryptSecret, encryptSecret, type SecretCache } from '../../support/memory/secret-cipher.ts';
import { memoryTablePorts, type TablePorts } from '../../support/memory/table-ports.ts';
import type { Host, Invocation } from './invocation.ts';
import type { Journal } from './journal.ts';
import { postEvent, type Receivers } from './receivers.ts';

/** The services that all functions share. */
export type Backend = {
  readonly host: Host;
  readonly table: MemoryTable;
  readonly scheduler: MemoryScheduler;
  readonly receivers: Receivers;
  readonly secretCache: SecretCache;
  /** Of the one warm function that takes in messages. */
  readonly customerCache: CustomerCache;
  /** Days for which a finished delivery is kept; `null` keeps it. */
  readonly retentionDays: number | null;
  readonly sendTo: Readonly<Record<Lane | 'replay', Send>>;
  readonly areQueuesEmpty: () => boolean;
  readonly journal: Journal;
};

/** Fewer than deployed, because an empty shard costs a request and tests nothing. */
const shards = 2;

/** Milliseconds in which all rows of the table are read. */
const longestScan = 10 * 60_000;

/** How often another release is deployed, which writes another address into its events. */
const releaseInterval = 20 * 60_000;
const releaseAt = (time: number): number => Math.floor(time / releaseInterval);

/** The adapters of one invocation, as a handler connects them. */
export function connect(backend: Backend, invocation: Invocation) {
  const { host, table, sendTo, customerCache: known } = backend;
  const { io, now, monotonic, after, wait } = invocation;
  const stored = memoryTablePorts(table, io, {
    shards,
    retention: { now, days: backend.retentionDays },
    warm: { known, now, monotonic },
  });
  const enqueueSlowAttempts = enqueueAttempts(sendTo.slow, io);
  return {
    ...stored,
    ...noted(invocation, backend.journal, stored),
    ...access(backend, invocation, stored),
    ...resultStores,
    now,
    monotonic,
    after,
    wait,
    randomBytes: (size: number) => host.random.bytes(size),
    report: () => {},
    dueToleranceMs: 0,
    serviceName: 'Service',
    standardWebhooks: true,
    baseUrl: `https://api-${releaseAt(host.timeline.now)}.example.com`,
    shards,
    checkUrl: (async (url) => ({ ok: true, url })) satisfies CheckUrl,
    postEvent: postEvent(
      host,
      invocation,
      backend.receivers,
      (post) => void backend.journal.posts.push(post),
    ),
    encryptSecret: encryptSecret(io),
    decryptSecret: decryptSecret(io, backend.secretCache, { now, monotonic }),
    areQueuesEmpty: () => io({ service: 'queue', name: 'count messages' }, backend.areQueuesEmpty),
    enqueueAttempts: enqueueAttempts(sendTo.ordinary, io),
    enqueueSlowAttempts,
    enqueueDelayed: enqueueDelayed(sendTo.ordinary, io),
    enqueueSlowDelayed: enqueueDelayed(sendTo.slow, io),
    passOn: invocation.name === 'deliverSlow' ? null : enqueueSlowAttempts,
    scheduleAttempt: scheduleAttempt(backend.scheduler, io, now),
    sendReplayStep: sendReplayStep(sendTo.replay, io),
  };
}

/** What lets somebody act for a customer, and the end of a customer. */
function access({ table, host }: Backend, { io, now, wait }: Invocation, stored: TablePorts) {
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
    ...erasurePorts(table, ask, now, () => wait(host.random.oneIn(2) ? 0 : host.random.below(longestScan))),
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
export type PortPatch = (ports: Ports, backend: Backend, invocation: Invocation) => Partial<Ports>;

/** Stored results take no part in deliveries, and no message about them is sent here. */
const resultStores = {
  storeRunItems: notSimulated,
  storeTracker: notSimulated,
  storeCreatorVideos: notSimulated,
};

async function notSimulated(): Promise<never> {
  throw new Error('No message of this type is sent in the simulation');
}
