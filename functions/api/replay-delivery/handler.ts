import { connectQueues } from '#shared/aws/clients.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { presentDelivery } from '#shared/contract/records/delivery.ts';
import { replayDelivery } from '#shared/operations/customer/replay-delivery.ts';
import { deliveryPath } from '#shared/runtime/path-id.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { table } from '../../wiring/customer-operation.ts';
import { deliveryQueueUrls } from '../../wiring/delivery-queues.ts';
import { keyedOperation } from '../../wiring/keyed-operation.ts';
import { withRetention } from '../../wiring/with-retention.ts';

const queues = connectQueues();

const replay = replayDelivery({
  table: withRetention(table),
  now,
  randomBytes,
  report,
  enqueueAttempts: enqueueAttempts(queues, deliveryQueueUrls),
});

export const handler = keyedOperation(
  'replayDelivery',
  ({ path }) => deliveryPath(path),
  async (key, { customerId }, seed) => {
    const delivery = presentDelivery(await replay({ customerId, ...key }, seed));
    const { webhookId } = key;
    return { body: { delivery }, done: { action: 'delivery_replayed', webhookId, subjectId: delivery.id } };
  },
);
