import { connectQueues } from '#shared/aws/clients.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { presentDelivery } from '#shared/contract/records/delivery.ts';
import { exampleRequest } from '#shared/contract/records/example.ts';
import { sendExample } from '#shared/operations/customer/send-example.ts';
import { setting } from '#shared/runtime/environment.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { table } from '../../wiring/customer-operation.ts';
import { deliveryQueueUrls } from '../../wiring/delivery-queues.ts';
import { keyedOperation } from '../../wiring/keyed-operation.ts';

const send = sendExample({
  now,
  randomBytes,
  report,
  baseUrl: setting('baseUrl'),
  table,
  enqueueAttempts: enqueueAttempts(connectQueues(), deliveryQueueUrls),
});

export const handler = keyedOperation(
  'sendExample',
  ({ path, body }) => ({
    webhookId: pathId(path, 'id', 'webhook'),
    type: parseBody(exampleRequest, body).type,
  }),
  async ({ webhookId, type }, { customerId }, seed) => {
    const delivery = presentDelivery(await send(customerId, webhookId, type, seed));
    return { body: { delivery }, done: { action: 'example_sent', webhookId, subjectId: delivery.id } };
  },
);
