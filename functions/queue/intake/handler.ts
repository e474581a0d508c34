import { connectQueues, connectServedTable } from '#shared/aws/clients.ts';
import { intakePorts } from '#shared/aws/intake-ports.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { returnMessages } from '#shared/aws/queues/return-messages.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { isCustomerKnown } from '#shared/aws/table/credentials/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints/endpoints.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { customerMemory } from '#shared/domain/customer.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import { setting } from '#shared/runtime/environment.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { backoff, monotonic, now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { deliveryQueueUrls } from '../../wiring/delivery-queues.ts';
import { withRetention } from '../../wiring/with-retention.ts';

const table = withRetention(connectServedTable(setting('tableName'), report, now));
const queues = connectQueues();

/** Each entry takes about 100 bytes. The deletion of a customer waits for `timeToLive`. */
const knownCustomers = { maxEntries: 10_000, timeToLive: customerMemory, now, monotonic };

export const handler = withRequestId(
  queueHandler(intakeMessage, {
    now,
    queue: 'intake',
    returnMessages: returnMessages(queues, setting('intakeQueueUrl')),
    sendToDeadLetters: sendToDeadLetters(queues, setting('intakeDeadLetterQueueUrl')),
    refusedMetric: 'intakeRefused',
    process: acceptIntake({
      now,
      report,
      baseUrl: setting('baseUrl'),
      isCustomerKnown: isCustomerKnown(table, knownCustomers),
      listLiveEndpoints: listListeners(table),
      ...intakePorts(table, backoff),
      enqueueAttempts: enqueueAttempts(queues, deliveryQueueUrls),
    }),
  }),
);
