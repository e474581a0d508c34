import { waitingShards } from '#shared/aws/table/keys.ts';
import * as attempts from './attempts.ts';
import * as audit from './audit-reads.ts';
import * as bulkReplays from './bulk-replays.ts';
import * as connections from './connections.ts';
import * as customers from './customers.ts';
import * as deliveries from './deliveries.ts';
import * as slots from './endpoint-slots.ts';
import * as endpoints from './endpoints.ts';
import { type Io, immediateIo } from './io.ts';
import { MemoryTable } from './memory-table.ts';
import * as portalLinks from './portal-links.ts';
import { storeReplay } from './replays.ts';
import * as runs from './runs.ts';
import * as waiting from './waiting.ts';

/** The table ports of all operations, on a table in memory that answers at once. */
export function memoryTablePorts(table = new MemoryTable(() => 0), io: Io = immediateIo) {
  return {
    storeDelivery: deliveries.storeDelivery(table, io),
    storeReplay: storeReplay(table, io),
    readReplayable: bulkReplays.readReplayable(table, io),
    readRunningReplay: bulkReplays.readRunningReplay(table, io),
    readBulkReplay: bulkReplays.readBulkReplay(table, io),
    readBulkReplays: bulkReplays.readBulkReplays(table, io),
    storeBulkReplay: bulkReplays.storeBulkReplay(table, io),
    claimReplayStep: bulkReplays.claimReplayStep(table, io),
    advanceReplay: bulkReplays.advanceReplay(table, io),
    endBulkReplay: bulkReplays.endBulkReplay(table, io),
    readDelivery: deliveries.readDelivery(table, io),
    readAttemptTimes: deliveries.readAttemptTimes(table, io),
    claimAttempt: attempts.claimAttempt(table, io),
    releaseAttempt: attempts.releaseAttempt(table, io),
    recordAttempt: attempts.recordAttempt(table, io),
    cancelDelivery: attempts.cancelDelivery(table, io),
    listOverdue: waiting.listOverdue(table, io, waitingShards),
    deferDue: waiting.deferDue(table, io),
    reserveEndpoint: slots.reserveEndpoint(table, io),
    deleteEndpoint: slots.deleteEndpoint(table, io),
    activateEndpoint: endpoints.activateEndpoint(table, io),
    readLiveEndpoint: endpoints.readLiveEndpoint(table, io),
    readEndpoint: endpoints.readEndpoint(table, io),
    listLiveEndpoints: endpoints.listLiveEndpoints(table, io),
    replaceSecret: endpoints.replaceSecret(table, io),
    raisePartitions: endpoints.raisePartitions(table, io),
    noteLastDelivery: endpoints.noteLastDelivery(table, io),
    markSlow: endpoints.markSlow(table, io),
    clearSlow: endpoints.clearSlow(table, io),
    storeOpenRun: runs.storeOpenRun(table, io),
    storeSettledRun: runs.storeSettledRun(table, io),
    storeSettledRunWithFanOut: runs.storeSettledRunWithFanOut(table, io),
    storeChangeReport: runs.storeChangeReport(table, io),
    /** Operators create customers; a test needs only that one exists. */
    addCustomer: async (id: string): Promise<void> => table.addCustomer(id),
    isCustomerKnown: customers.isCustomerKnown(table, io, new Map(), { now: () => 0, monotonic: () => 0 }),
    storePortalLink: portalLinks.storePortalLink(table, io),
    findPortalLink: portalLinks.findPortalLink(table, io),
    markPortalLinkRevoked: portalLinks.markPortalLinkRevoked(table, io),
    storeConnection: connections.storeConnection(table, io),
    readConnection: connections.readConnection(table, io),
    markConnectionRevoked: connections.markRevoked(table, io),
    listCustomerIds: audit.listCustomerIds(table, io),
    listEndpointsSince: audit.listEndpointsSince(table, io),
    readAuditedDeliveries: audit.readAuditedDeliveries(table, io),
    readAuditedDelivery: audit.readAuditedDelivery(table, io),
    readAuditedReplay: audit.readAuditedReplay(table, io),
    markDue: audit.markDue(table, io),
  };
}

export type TablePorts = ReturnType<typeof memoryTablePorts>;
