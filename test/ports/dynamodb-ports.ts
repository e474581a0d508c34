import type { Table } from '#shared/aws/clients.ts';
import * as dynamodbConnections from '#shared/aws/table/credentials/connections.ts';
import { isCustomerKnown, storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import * as dynamodbPortalLinks from '#shared/aws/table/credentials/portal-links.ts';
import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import * as dynamodbAttempts from '#shared/aws/table/deliveries/attempts.ts';
import * as dynamodbAudit from '#shared/aws/table/deliveries/audit-reads.ts';
import * as dynamodbDeliveries from '#shared/aws/table/deliveries/deliveries.ts';
import { readRecentDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import * as dynamodbWaiting from '#shared/aws/table/deliveries/waiting.ts';
import * as dynamodbHealth from '#shared/aws/table/endpoints/endpoint-health.ts';
import * as dynamodbSlots from '#shared/aws/table/endpoints/endpoint-slots.ts';
import * as dynamodbEndpoints from '#shared/aws/table/endpoints/endpoints.ts';
import { groupReads } from '#shared/aws/table/grouped-reads.ts';
import { type GroupedWrite, groupWrites } from '#shared/aws/table/grouped-writes.ts';
import { waitingShards } from '#shared/aws/table/keys.ts';
import * as dynamodbBulkReplays from '#shared/aws/table/replays/bulk-replays.ts';
import { listEventReplays, readReplayStates } from '#shared/aws/table/replays/event-replays.ts';
import { readReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import { storeReplay } from '#shared/aws/table/replays/store-replay.ts';
import * as dynamodbRequests from '#shared/aws/table/requests/requests.ts';
import * as dynamodbRuns from '#shared/aws/table/results/runs.ts';
import * as dynamodbTrackers from '#shared/aws/table/results/trackers.ts';
import { backoff } from '../support/aws/table.ts';
import type { TablePorts } from '../support/memory/table-ports.ts';

/** The same, connected to DynamoDB. */
export function dynamodbTablePorts(table: Table, together: GroupedWrite = groupWrites(table)): TablePorts {
  return {
    storeDelivery: dynamodbDeliveries.storeDelivery(table, together),
    storeReplay: storeReplay(table, backoff),
    readReplayable: readReplayable(table),
    readReplayStates: readReplayStates(table, backoff),
    listEventReplays: listEventReplays(table),
    readRunningReplay: dynamodbBulkReplays.readRunningReplay(table),
    readBulkReplay: dynamodbBulkReplays.readBulkReplay(table),
    readBulkReplays: dynamodbBulkReplays.readBulkReplays(table),
    storeBulkReplay: dynamodbBulkReplays.storeBulkReplay(table, backoff),
    claimReplayStep: dynamodbBulkReplays.claimReplayStep(table),
    advanceReplay: dynamodbBulkReplays.advanceReplay(table),
    endBulkReplay: dynamodbBulkReplays.endBulkReplay(table, backoff),
    beginRequest: dynamodbRequests.beginRequest(table),
    continueRequest: dynamodbRequests.continueRequest(table),
    changeRequest: dynamodbRequests.changeRequest(table),
    readAttemptTimes: readAttemptTimes(table),
    readRecentDeliveries: readRecentDeliveries(table),
    readDelivery: dynamodbDeliveries.readDelivery(table),
    claimAttempt: dynamodbAttempts.claimAttempt(table, together),
    releaseAttempt: dynamodbAttempts.releaseAttempt(table),
    recordAttempt: dynamodbAttempts.recordAttempt(table, together),
    cancelDelivery: dynamodbAttempts.cancelDelivery(table),
    listOverdue: dynamodbWaiting.listOverdue(table),
    deferDue: dynamodbWaiting.deferDue(table),
    reserveEndpoint: dynamodbSlots.reserveEndpoint(table, backoff),
    deleteEndpoint: dynamodbSlots.deleteEndpoint(table, backoff),
    activateEndpoint: dynamodbEndpoints.activateEndpoint(table),
    readLiveEndpoint: dynamodbEndpoints.readLiveEndpoint(table, groupReads(table)),
    readEndpoint: dynamodbEndpoints.readEndpoint(table),
    listLiveEndpoints: dynamodbEndpoints.listLiveEndpoints(table),
    replaceSecret: dynamodbEndpoints.replaceSecret(table),
    raisePartitions: dynamodbEndpoints.raisePartitions(table),
    noteLastDelivery: dynamodbEndpoints.noteLastDelivery(table),
    markSlow: dynamodbEndpoints.markSlow(table),
    clearSlow: dynamodbEndpoints.clearSlow(table),
    notePace: dynamodbEndpoints.notePace(table),
    takeTurn: dynamodbEndpoints.takeTurn(table),
    storeHealth: dynamodbHealth.storeHealth(table),
    settleNotices: dynamodbHealth.settleNotices(table),
    storeOpenRun: dynamodbRuns.storeOpenRun(table),
    storeSettledRun: dynamodbRuns.storeSettledRun(table),
    storeSettledRunWithFanOut: dynamodbRuns.storeSettledRunWithFanOut(table),
    storeChangeReport: dynamodbTrackers.storeChangeReport(table),
    addCustomer: (id) => storeCustomer(table)({ id, name: id, createdAt: 0 }),
    isCustomerKnown: isCustomerKnown(table, {
      maxEntries: 100,
      timeToLive: 60_000,
      now: Date.now,
      monotonic: () => 0,
    }),
    storePortalLink: dynamodbPortalLinks.storePortalLink(table),
    findPortalLink: dynamodbPortalLinks.findPortalLink(table),
    markPortalLinkRevoked: dynamodbPortalLinks.markPortalLinkRevoked(table),
    storeConnection: dynamodbConnections.storeConnection(table),
    readConnection: dynamodbConnections.readConnection(table),
    markConnectionRevoked: dynamodbConnections.markRevoked(table),
    listCustomerIds: dynamodbAudit.listCustomerIds(table),
    listEndpointsSince: dynamodbAudit.listEndpointsSince(table),
    readAuditedDeliveries: dynamodbAudit.readAuditedDeliveries(table),
    readAuditedDelivery: dynamodbAudit.readAuditedDelivery(table),
    readAuditedReplay: dynamodbAudit.readAuditedReplay(table),
    markDue: dynamodbAudit.markDue(table),
  };
}

/** Overdue deliveries of all shards, oldest first. */
export async function overdueBefore(ports: TablePorts, before: number) {
  const shards = Array.from({ length: waitingShards }, (_, shard) =>
    ports.listOverdue(shard, before, 100, null),
  );
  return (await Promise.all(shards))
    .flatMap(({ overdue }) => overdue)
    .sort((one, other) => one.dueAt - other.dueAt || one.id.localeCompare(other.id));
}
