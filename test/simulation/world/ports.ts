import { authenticateLink } from '#shared/auth/authenticate-link.ts';
import { authenticateToken } from '#shared/auth/authenticate-token.ts';
import { hashCredential } from '#shared/auth/checked-token.ts';
import { makePortalCredential } from '#shared/auth/portal-credential.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { CheckUrl, ClaimAttempt, RecordAttempt, ReleaseAttempt } from '#shared/operations/ports.ts';
import {
  cancelDelivery,
  claimAttempt,
  recordAttempt,
  releaseAttempt,
} from '../../support/memory/attempts.ts';
import {
  listCustomerIds,
  listEndpointsSince,
  markDue,
  readAuditedDeliveries,
  readAuditedDelivery,
  readAuditedReplay,
} from '../../support/memory/audit-reads.ts';
import {
  advanceReplay,
  claimReplayStep,
  endBulkReplay,
  readBulkReplay,
  readBulkReplays,
  readReplayable,
  readRunningReplay,
  storeBulkReplay,
} from '../../support/memory/bulk-replays.ts';
import { markRevoked, readConnection, storeConnection } from '../../support/memory/connections.ts';
import { type CustomerCache, isCustomerKnown, readCustomer } from '../../support/memory/customers.ts';
import { readAttemptTimes, readDelivery, storeDelivery } from '../../support/memory/deliveries.ts';
import { enqueueAttempts, enqueueDelayed, type Send } from '../../support/memory/delivery-queue.ts';
import { deleteEndpoint, reserveEndpoint } from '../../support/memory/endpoint-slots.ts';
import {
  activateEndpoint,
  clearSlow,
  listLiveEndpoints,
  markSlow,
  noteLastDelivery,
  readEndpoint,
  readLiveEndpoint,
  replaceSecret,
} from '../../support/memory/endpoints.ts';
import { closeCustomer, erasePass, forgetCustomer } from '../../support/memory/erase-customer.ts';
import type { MemoryTable } from '../../support/memory/memory-table.ts';
import { findPortalLink, markPortalLinkRevoked, storePortalLink } from '../../support/memory/portal-links.ts';
import { sendReplayStep } from '../../support/memory/replay-queue.ts';
import { storeReplay } from '../../support/memory/replays.ts';
import {
  storeChangeReport,
  storeOpenRun,
  storeSettledRun,
  storeSettledRunWithFanOut,
} from '../../support/memory/runs.ts';
import { type MemoryScheduler, scheduleAttempt } from '../../support/memory/scheduler.ts';
import { decryptSecret, encryptSecret, type SecretCache } from '../../support/memory/secret-cipher.ts';
import { deferDue, listOverdue } from '../../support/memory/waiting.ts';
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
  const {
    host,
    table,
    scheduler,
    receivers,
    secretCache,
    customerCache,
    retentionDays,
    sendTo,
    areQueuesEmpty,
    journal,
  } = backend;
  const { io, now, monotonic, after, wait } = invocation;
  const enqueueSlowAttempts = enqueueAttempts(sendTo.slow, io);
  return {
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
    postEvent: postEvent(host, invocation, receivers, (post) => void journal.posts.push(post)),
    encryptSecret: encryptSecret(io),
    decryptSecret: decryptSecret(io, secretCache, { now, monotonic }),
    isCustomerKnown: isCustomerKnown(table, io, customerCache, { now, monotonic }),
    readEndpoint: readEndpoint(table, io),
    readLiveEndpoint: readLiveEndpoint(table, io),
    listLiveEndpoints: listLiveEndpoints(table, io),
    reserveEndpoint: reserveEndpoint(table, io),
    deleteEndpoint: deleteEndpoint(table, io),
    activateEndpoint: activateEndpoint(table, io),
    replaceSecret: replaceSecret(table, io),
    noteLastDelivery: noteLastDelivery(table, io),
    markSlow: markSlow(table, io),
    clearSlow: clearSlow(table, io),
    storeOpenRun: storeOpenRun(table, io),
    storeSettledRun: storeSettledRun(table, io),
    storeSettledRunWithFanOut: storeSettledRunWithFanOut(table, io),
    storeChangeReport: storeChangeReport(table, io),
    ...resultStores,
    readDelivery: readDelivery(table, io, { now, days: retentionDays }),
    readAttemptTimes: readAttemptTimes(table, io),
    storeDelivery: storeDelivery(table, io),
    storeReplay: storeReplay(table, io),
    ...noted(invocation, journal, {
      claimAttempt: claimAttempt(table, io),
      releaseAttempt: releaseAttempt(table, io),
      recordAttempt: recordAttempt(table, io),
    }),
    cancelDelivery: cancelDelivery(table, io),
    listOverdue: listOverdue(table, io, shards),
    deferDue: deferDue(table, io),
    listCustomerIds: listCustomerIds(table, io),
    listEndpointsSince: listEndpointsSince(table, io),
    readAuditedDeliveries: readAuditedDeliveries(table, io),
    readAuditedDelivery: readAuditedDelivery(table, io),
    readAuditedReplay: readAuditedReplay(table, io),
    markDue: markDue(table, io),
    areQueuesEmpty: () => io({ service: 'queue', name: 'count messages' }, areQueuesEmpty),
    enqueueAttempts: enqueueAttempts(sendTo.ordinary, io),
    enqueueSlowAttempts,
    passOn: invocation.name === 'deliverSlow' ? null : enqueueSlowAttempts,
    scheduleAttempt: scheduleAttempt(scheduler, io, now),
    ...access(backend, invocation),
    readRunningReplay: readRunningReplay(table, io),
    readBulkReplay: readBulkReplay(table, io),
    readBulkReplays: readBulkReplays(table, io),
    storeBulkReplay: storeBulkReplay(table, io),
    claimReplayStep: claimReplayStep(table, io),
    advanceReplay: advanceReplay(table, io),
    endBulkReplay: endBulkReplay(table, io),
    readReplayable: readReplayable(table, io, { now, days: retentionDays }),
    enqueueDelayed: enqueueDelayed(sendTo.ordinary, io),
    enqueueSlowDelayed: enqueueDelayed(sendTo.slow, io),
    sendReplayStep: sendReplayStep(sendTo.replay, io),
  };
}

/** What lets somebody act for a customer, and the end of a customer. */
function access({ table, host }: Backend, { io, now, wait }: Invocation) {
  const read = readConnection(table, io);
  return {
    readCustomer: readCustomer(table, io),
    makeCredential: makePortalCredential,
    hashCredential,
    storePortalLink: storePortalLink(table, io),
    findPortalLink: findPortalLink(table, io),
    markPortalLinkRevoked: markPortalLinkRevoked(table, io),
    storeConnection: storeConnection(table, io),
    markConnectionRevoked: markRevoked(table, io),
    findApiKey: async () => null,
    authenticateLink: authenticateLink({ now, findPortalLink: findPortalLink(table, io) }),
    // The signature of a token is checked without a request.
    authenticateToken: authenticateToken({
      verifyToken: async (token) => token.split('.')[1] ?? '',
      readConnection: read,
    }),
    closeCustomer: closeCustomer(table, io, now),
    erasePass: erasePass(table, io, () => wait(host.random.oneIn(2) ? 0 : host.random.below(longestScan))),
    forgetCustomer: forgetCustomer(table, io),
  };
}

/** Records the requests of a function about its claims, whether or not they are served. */
function noted(
  invocation: Invocation,
  journal: Journal,
  ports: {
    readonly claimAttempt: ClaimAttempt;
    readonly releaseAttempt: ReleaseAttempt;
    readonly recordAttempt: RecordAttempt;
  },
): typeof ports {
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
