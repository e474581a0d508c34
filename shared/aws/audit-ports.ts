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
} from './table/audit-reads.ts';

/**
 * The adapters that an audit needs.
 *
 * @param queueUrls the queues whose messages may still bring a delivery to a worker: intake and delivery
 */
export function auditPorts(table: Table, queues: SQSClient, queueUrls: readonly string[]): AuditPorts {
  return {
    listCustomerIds: listCustomerIds(table),
    listEndpointsSince: listEndpointsSince(table),
    readAuditedDeliveries: readAuditedDeliveries(table),
    readAuditedDelivery: readAuditedDelivery(table),
    areQueuesEmpty: areQueuesEmpty(queues, queueUrls),
    markDue: markDue(table),
  };
}
