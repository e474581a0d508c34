import { connectQueues, connectTable } from '#shared/aws/direct/connections.ts';
import { intakePorts } from '#shared/aws/intake-ports.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { isCustomerKnown } from '#shared/aws/table/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import { setting } from '#shared/runtime/environment.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { backoff, host, now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

const table = connectTable(setting('tableName'), report, host);
const queues = connectQueues(host);

/** Maximum number of cached customer ids; each takes about 100 bytes. */
const rememberedCustomers = 10_000;

export const handler = withRequestId(
  queueHandler(intakeMessage, {
    sendToDeadLetters: sendToDeadLetters(queues, setting('intakeDeadLetterQueueUrl')),
    refusedMetric: 'intakeRefused',
    process: acceptIntake({
      now,
      report,
      baseUrl: setting('baseUrl'),
      isCustomerKnown: isCustomerKnown(table, rememberedCustomers),
      listLiveEndpoints: listListeners(table),
      ...intakePorts(table, backoff),
      enqueueAttempts: enqueueAttempts(queues, setting('deliveryQueueUrl')),
      enqueueSlowAttempts: enqueueAttempts(queues, setting('slowDeliveryQueueUrl')),
    }),
  }),
);
