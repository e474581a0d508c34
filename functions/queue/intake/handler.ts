import { connectQueues, connectServedTable } from '#shared/aws/clients.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { returnMessages } from '#shared/aws/queues/return-messages.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { rememberCustomers } from '#shared/aws/table/credentials/customers.ts';
import { groupWrites } from '#shared/aws/table/grouped-requests.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { RunForms } from '#shared/domain/run-forms.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import { setting } from '#shared/runtime/environment.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { monotonic, now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { deliveryQueueUrls } from '../../wiring/delivery-queues.ts';
import { withRetention } from '../../wiring/with-retention.ts';

const served = withRetention(connectServedTable(setting('tableName'), report, now));
const table = {
  ...served,
  groups: {
    deliveries: groupWrites(served),
    runs: { write: groupWrites(served), forms: new RunForms() },
  },
};
const queues = connectQueues();

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
      table,
      knownCustomers: rememberCustomers({ now, monotonic }),
      enqueueAttempts: enqueueAttempts(queues, deliveryQueueUrls),
    }),
  }),
);
