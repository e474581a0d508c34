import type { Context } from 'aws-lambda';
import { connectQueues, connectServedTable } from '#shared/aws/clients.ts';
import { areQueuesEmpty } from '#shared/aws/queues/queue-depth.ts';
import { auditSpan } from '#shared/domain/progress.ts';
import { auditDeliveries, auditEvent } from '#shared/operations/delivery/audit-deliveries.ts';
import { setting } from '#shared/runtime/environment.ts';
import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

const table = connectServedTable(setting('tableName'), report, now);

const audit = auditDeliveries({
  now,
  report,
  table,
  areQueuesEmpty: areQueuesEmpty(connectQueues(), [
    setting('intakeQueueUrl'),
    setting('deliveryQueueUrl'),
    setting('slowDeliveryQueueUrl'),
  ]),
});

/** Minimum remaining time for another read, in milliseconds. A read takes a second or two. */
const minTimePerRead = 10_000;

export const handler = withRequestId(async (_event: unknown, context: Context): Promise<void> => {
  const result = await audit(
    { ...auditSpan(now()), requeue: true },
    () => context.getRemainingTimeInMillis() > minTimePerRead,
  );
  report(auditEvent(result, now()));
});
