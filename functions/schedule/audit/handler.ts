import type { Context } from 'aws-lambda';
import { connectTable } from '#shared/aws/clients.ts';
import { connectQueues } from '#shared/aws/queues/delivery-queue.ts';
import { areQueuesEmpty } from '#shared/aws/queues/queue-depth.ts';
import {
  giveWakeUp,
  listCustomerIds,
  listEndpointsSince,
  readProspect,
  readProspects,
} from '#shared/aws/table/prospects.ts';
import { auditSpan } from '#shared/domain/wake-up.ts';
import { auditDeliveries } from '#shared/operations/delivery/audit-deliveries.ts';
import { publishAudit } from '#shared/runtime/audit-metrics.ts';
import { setting } from '#shared/runtime/environment.ts';
import { now } from '#shared/runtime/system.ts';
import { logger, report, withRequestId } from '#shared/runtime/telemetry.ts';

const table = connectTable(setting('tableName'), report);

const audit = auditDeliveries({
  now,
  report,
  listCustomerIds: listCustomerIds(table),
  listEndpointsSince: listEndpointsSince(table),
  readProspects: readProspects(table),
  readProspect: readProspect(table),
  areQueuesEmpty: areQueuesEmpty(connectQueues(), [setting('intakeQueueUrl'), setting('deliveryQueueUrl')]),
  giveWakeUp: giveWakeUp(table),
});

/** A read takes a second or two: none is begun with less than this left, in milliseconds. */
const enoughForARead = 10_000;

export const handler = withRequestId(async (_event: unknown, context: Context): Promise<void> => {
  const result = await audit(
    { ...auditSpan(now()), wake: true },
    () => context.getRemainingTimeInMillis() > enoughForARead,
  );
  publishAudit(result, now());
  const { deliveries, pending, woken, complete, unfinished } = result;
  logger.info('audit.done', { deliveries, pending, woken, complete, unfinished });
});
