import type { Table } from '#shared/aws/clients.ts';
import * as dynamodbConnections from '#shared/aws/table/credentials/connections.ts';
import { isCustomerKnown, rememberCustomers, storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import * as dynamodbPortalLinks from '#shared/aws/table/credentials/portal-links.ts';
import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import * as attempts from '#shared/aws/table/deliveries/attempts.ts';
import * as dynamodbAudit from '#shared/aws/table/deliveries/audit-reads.ts';
import * as dynamodbDeliveries from '#shared/aws/table/deliveries/deliveries.ts';
import { readRecentDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import { hasFirstDelivery } from '#shared/aws/table/deliveries/event-deliveries.ts';
import { deferDue, listOverdue } from '#shared/aws/table/deliveries/waiting.ts';
import * as dynamodbHealth from '#shared/aws/table/endpoints/endpoint-health.ts';
import * as endpointPace from '#shared/aws/table/endpoints/endpoint-pace.ts';
import * as dynamodbSlots from '#shared/aws/table/endpoints/endpoint-slots.ts';
import * as dynamodbEndpoints from '#shared/aws/table/endpoints/endpoints.ts';
import { groupReads, groupWrites } from '#shared/aws/table/grouped-requests.ts';
import * as bulkReplays from '#shared/aws/table/replays/bulk-replays.ts';
import { listEventReplays, readReplayStates } from '#shared/aws/table/replays/event-replays.ts';
import { addToTally, openTallies, readEndedReplays } from '#shared/aws/table/replays/replay-tallies.ts';
import { readReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import { storeReplay } from '#shared/aws/table/replays/store-replay.ts';
import * as dynamodbRequests from '#shared/aws/table/requests/requests.ts';
import * as dynamodbRuns from '#shared/aws/table/results/runs.ts';
import * as dynamodbTrackers from '#shared/aws/table/results/trackers.ts';
import { type RunForm, RunForms } from '#shared/domain/run-forms.ts';

type Settings = {
  /** How a function remembers customers. */
  readonly customerCache?: Parameters<typeof rememberCustomers>[0];
};

const cold = { now: Date.now, monotonic: () => 0 };

export type TablePorts = ReturnType<typeof tablePorts>;

/** The adapters of the table that operations need. */
export function tablePorts(given: Table, settings: Settings = {}) {
  const { customerCache = cold } = settings;
  // Repeats at once.
  const table = { pause: async () => {}, ...given };
  const knownCustomers = rememberCustomers(customerCache);
  const on =
    <A extends readonly unknown[], R>(run: (table: Table, ...args: A) => R) =>
    (...args: A): R =>
      run(table, ...args);
  return {
    table,
    storeDelivery: on(dynamodbDeliveries.storeDelivery),
    storeReplay: on(storeReplay),
    openTallies: on(openTallies),
    addToTally: on(addToTally),
    readEndedReplays: on(readEndedReplays),
    readReplayable: on(readReplayable),
    readReplayStates: on(readReplayStates),
    listEventReplays: on(listEventReplays),
    hasFirstDelivery: on(hasFirstDelivery),
    readRunningReplay: on(bulkReplays.readRunningReplay),
    readBulkReplay: on(bulkReplays.readBulkReplay),
    readBulkReplays: on(bulkReplays.readBulkReplays),
    storeBulkReplay: on(bulkReplays.storeBulkReplay),
    claimReplayStep: on(bulkReplays.claimReplayStep),
    advanceReplay: on(bulkReplays.advanceReplay),
    endBulkReplay: on(bulkReplays.endBulkReplay),
    beginRequest: on(dynamodbRequests.beginRequest),
    continueRequest: on(dynamodbRequests.continueRequest),
    changeRequest: on(dynamodbRequests.changeRequest),
    readAttemptTimes: on(readAttemptTimes),
    readRecentDeliveries: on(readRecentDeliveries),
    readDelivery: on(dynamodbDeliveries.readDelivery),
    claimAttempt: on(attempts.claimAttempt),
    releaseAttempt: on(attempts.releaseAttempt),
    recordAttempt: on(attempts.recordAttempt),
    cancelDelivery: on(attempts.cancelDelivery),
    listOverdue: on(listOverdue),
    deferDue: on(deferDue),
    reserveEndpoint: on(dynamodbSlots.reserveEndpoint),
    deleteEndpoint: on(dynamodbSlots.deleteEndpoint),
    activateEndpoint: on(dynamodbEndpoints.activateEndpoint),
    readLiveEndpoint: on(dynamodbEndpoints.readLiveEndpoint),
    readEndpoint: on(dynamodbEndpoints.readEndpoint),
    listListeners: on(dynamodbEndpoints.listListeners),
    listLiveEndpoints: on(dynamodbEndpoints.listLiveEndpoints),
    replaceSecret: on(dynamodbEndpoints.replaceSecret),
    raisePartitions: on(dynamodbEndpoints.raisePartitions),
    noteLastDelivery: on(dynamodbEndpoints.noteLastDelivery),
    markSlow: on(endpointPace.markSlow),
    clearSlow: on(endpointPace.clearSlow),
    notePace: on(endpointPace.notePace),
    narrowPace: on(endpointPace.narrowPace),
    takeTurn: on(endpointPace.takeTurn),
    storeHealth: on(dynamodbHealth.storeHealth),
    settleNotices: on(dynamodbHealth.settleNotices),
    storeOpenRun: on(dynamodbRuns.storeOpenRun),
    storeSettledRun: on(dynamodbRuns.storeSettledRun),
    storeSettledRunWithFanOut: on(dynamodbRuns.storeSettledRunWithFanOut),
    storeChangeReport: on(dynamodbTrackers.storeChangeReport),
    addCustomer: (id: string) => storeCustomer(table, { id, name: id, createdAt: 0 }),
    knownCustomers,
    isCustomerKnown: (id: string) => isCustomerKnown(table, knownCustomers, id),
    storePortalLink: on(dynamodbPortalLinks.storePortalLink),
    findPortalLink: on(dynamodbPortalLinks.findPortalLink),
    markPortalLinkRevoked: on(dynamodbPortalLinks.markPortalLinkRevoked),
    storeConnection: on(dynamodbConnections.storeConnection),
    readConnection: on(dynamodbConnections.readConnection),
    markConnectionRevoked: on(dynamodbConnections.markRevoked),
    listCustomerIds: on(dynamodbAudit.listCustomerIds),
    listEndpointsSince: on(dynamodbAudit.listEndpointsSince),
    readAuditedDeliveries: on(dynamodbAudit.readAuditedDeliveries),
    readAuditedDelivery: on(dynamodbAudit.readAuditedDelivery),
    readAuditedReplay: on(dynamodbAudit.readAuditedReplay),
    markDue: on(dynamodbAudit.markDue),
  };
}

/**
 * The table with writes and reads in groups, as the functions of the queues connect it.
 *
 * @param form that the last Runs had before they settled
 */
export function groupedTable(table: Table, form: RunForm = 'new'): Table {
  const [claims, records, deliveries] = [groupWrites(table), groupWrites(table), groupWrites(table)];
  const runs = { write: groupWrites(table), forms: expecting(form) };
  return { ...table, groups: { claims, records, deliveries, endpoints: groupReads(table), runs } };
}

/** What a process knows whose last Runs all had this form. */
export function expecting(form: RunForm): RunForms {
  const forms = new RunForms();
  while (forms.expected === null) forms.note(form);
  return forms;
}

export const groupedTablePorts = (table: Table, form?: RunForm): TablePorts => tablePorts(groupedTable(table, form));
