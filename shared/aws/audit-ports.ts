import type { SQSClient } from '@aws-sdk/client-sqs';
import type { AuditPorts } from '#shared/operations/delivery/audit-deliveries.ts';
import type { Table } from './clients.ts';
import { areQueuesEmpty } from './queues/queue-depth.ts';
import {
  listCustomerIds,
  listEndpointsSince,
  markDue,
  readAuditedDeliveries,
  readAuditedDelivery,
  readAuditedReplay,
} from './table/deliveries/audit-reads.ts';

/**
 * Connects the adapters of an audit.
 *
 * @param queueUrls the queues whose messages may still lead a worker to a delivery: intake, delivery and slow delivery
 */
export function auditPorts(table: Table, queues: SQSClient, queueUrls: readonly string[]): AuditPorts {
  return {
    listCustomerIds: listCustomerIds(table),
    listEndpointsSince: listEndpointsSince(table),
    readAuditedDeliveries: readAuditedDeliveries(table),
    readAuditedDelivery: readAuditedDelivery(table),
    readAuditedReplay: readAuditedReplay(table),
    areQueuesEmpty: areQueuesEmpty(queues, queueUrls),
    markDue: markDue(table),
  };
}
