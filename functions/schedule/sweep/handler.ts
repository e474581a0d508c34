import type { Context } from 'aws-lambda';
import { connectQueues, connectServedTable } from '#shared/aws/clients.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { waitingShards } from '#shared/aws/table/keys.ts';
import { sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import { setting } from '#shared/runtime/environment.ts';
import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

const table = connectServedTable(setting('tableName'), report, now);

const sweep = sweepWaiting({
  table,
  now,
  report,
  shards: waitingShards,
  enqueueAttempts: enqueueAttempts(connectQueues(), { ordinary: setting('deliveryQueueUrl') }),
});

/** Minimum remaining time for another page, in milliseconds. A page takes a second or two. */
const minTimePerPage = 10_000;

export const handler = withRequestId(async (_event: unknown, context: Context): Promise<void> => {
  await sweep(() => context.getRemainingTimeInMillis() > minTimePerPage);
});
