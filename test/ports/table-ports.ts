import type { Table } from '#shared/aws/clients.ts';
import * as dynamodbAttempts from '#shared/aws/table/attempts.ts';
import { isCustomerKnown, storeCustomer } from '#shared/aws/table/customers.ts';
import * as dynamodbDeliveries from '#shared/aws/table/deliveries.ts';
import * as dynamodbSlots from '#shared/aws/table/endpoint-slots.ts';
import * as dynamodbEndpoints from '#shared/aws/table/endpoints.ts';
import { waitingShards } from '#shared/aws/table/keys.ts';
import * as dynamodbProspects from '#shared/aws/table/prospects.ts';
import * as dynamodbRuns from '#shared/aws/table/runs.ts';
import * as dynamodbTrackers from '#shared/aws/table/trackers.ts';
import * as dynamodbWaiting from '#shared/aws/table/waiting.ts';
import * as attempts from '../simulation/memory/attempts.ts';
import * as customers from '../simulation/memory/customers.ts';
import * as deliveries from '../simulation/memory/deliveries.ts';
import * as slots from '../simulation/memory/endpoint-slots.ts';
import * as endpoints from '../simulation/memory/endpoints.ts';
import { MemoryTable } from '../simulation/memory/memory-table.ts';
import * as prospects from '../simulation/memory/prospects.ts';
import * as runs from '../simulation/memory/runs.ts';
import * as waiting from '../simulation/memory/waiting.ts';
import { immediateIo as io } from '../simulation/world/io.ts';

/** Everything that the operations ask of the table, connected to a fresh one in memory. */
export function memoryTablePorts() {
  // The time by which answers lag; nothing lags here.
  const table = new MemoryTable(() => 0);
  return {
    storeDelivery: deliveries.storeDelivery(table, io),
    readDelivery: deliveries.readDelivery(table, io),
    claimAttempt: attempts.claimAttempt(table, io),
    releaseAttempt: attempts.releaseAttempt(table, io),
    recordAttempt: attempts.recordAttempt(table, io),
    cancelDelivery: attempts.cancelDelivery(table, io),
    listOverdue: waiting.listOverdue(table, io, waitingShards),
    postponeWake: waiting.postponeWake(table, io),
    reserveEndpoint: slots.reserveEndpoint(table, io),
    entombEndpoint: slots.entombEndpoint(table, io),
    activateEndpoint: endpoints.activateEndpoint(table, io),
    readLiveEndpoint: endpoints.readLiveEndpoint(table, io),
    readEndpoint: endpoints.readEndpoint(table, io),
    listLiveEndpoints: endpoints.listLiveEndpoints(table, io),
    replaceSecret: endpoints.replaceSecret(table, io),
    raisePartitions: endpoints.raisePartitions(table, io),
    noteLastDelivery: endpoints.noteLastDelivery(table, io),
    storeOpenRun: runs.storeOpenRun(table, io),
    storeSettledRun: runs.storeSettledRun(table, io),
    storeSettledRunWithFanOut: runs.storeSettledRunWithFanOut(table, io),
    storeChangeReport: runs.storeChangeReport(table, io),
    /** Customers are made by operators; here one is only to be there. */
    addCustomer: async (id: string): Promise<void> => table.addCustomer(id),
    isCustomerKnown: customers.isCustomerKnown(table, io),
    listCustomerIds: prospects.listCustomerIds(table, io),
    listEndpointsSince: prospects.listEndpointsSince(table, io),
    readProspects: prospects.readProspects(table, io),
    readProspect: prospects.readProspect(table, io),
    giveWakeUp: prospects.giveWakeUp(table, io),
  };
}

export type TablePorts = ReturnType<typeof memoryTablePorts>;

const backoff = { wait: async () => {}, random: () => 0 };

/** The same, connected to DynamoDB. */
export function dynamodbTablePorts(table: Table): TablePorts {
  return {
    storeDelivery: dynamodbDeliveries.storeDelivery(table),
    readDelivery: dynamodbDeliveries.readDelivery(table),
    claimAttempt: dynamodbAttempts.claimAttempt(table),
    releaseAttempt: dynamodbAttempts.releaseAttempt(table),
    recordAttempt: dynamodbAttempts.recordAttempt(table),
    cancelDelivery: dynamodbAttempts.cancelDelivery(table),
    listOverdue: dynamodbWaiting.listOverdue(table),
    postponeWake: dynamodbWaiting.postponeWake(table),
    reserveEndpoint: dynamodbSlots.reserveEndpoint(table, backoff),
    entombEndpoint: dynamodbSlots.entombEndpoint(table, backoff),
    activateEndpoint: dynamodbEndpoints.activateEndpoint(table),
    readLiveEndpoint: dynamodbEndpoints.readLiveEndpoint(table),
    readEndpoint: dynamodbEndpoints.readEndpoint(table),
    listLiveEndpoints: dynamodbEndpoints.listLiveEndpoints(table),
    replaceSecret: dynamodbEndpoints.replaceSecret(table),
    raisePartitions: dynamodbEndpoints.raisePartitions(table),
    noteLastDelivery: dynamodbEndpoints.noteLastDelivery(table),
    storeOpenRun: dynamodbRuns.storeOpenRun(table),
    storeSettledRun: dynamodbRuns.storeSettledRun(table),
    storeSettledRunWithFanOut: dynamodbRuns.storeSettledRunWithFanOut(table),
    storeChangeReport: dynamodbTrackers.storeChangeReport(table),
    addCustomer: (id) => storeCustomer(table)({ id, name: id, createdAt: 0 }),
    isCustomerKnown: isCustomerKnown(table, 100),
    listCustomerIds: dynamodbProspects.listCustomerIds(table),
    listEndpointsSince: dynamodbProspects.listEndpointsSince(table),
    readProspects: dynamodbProspects.readProspects(table),
    readProspect: dynamodbProspects.readProspect(table),
    giveWakeUp: dynamodbProspects.giveWakeUp(table),
  };
}

/** Overdue deliveries of all shards, oldest first. */
export async function overdueBefore(ports: TablePorts, before: number) {
  const shards = Array.from({ length: waitingShards }, (_, shard) =>
    ports.listOverdue(shard, before, 100, null),
  );
  return (await Promise.all(shards))
    .flatMap(({ overdue }) => overdue)
    .sort((one, other) => one.wakeAt - other.wakeAt || one.id.localeCompare(other.id));
}
