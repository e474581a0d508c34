import { connectQueues, connectServedTable } from '#shared/aws/clients.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { sendReplayStep } from '#shared/aws/queues/replay-queue.ts';
import { returnMessages } from '#shared/aws/queues/return-messages.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { replayStep } from '#shared/contract/messages/replay-message.ts';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import { setting } from '#shared/runtime/environment.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { deliveryQueueUrls } from '../../wiring/delivery-queues.ts';
import { withRetention } from '../../wiring/with-retention.ts';

const table = withRetention(connectServedTable(setting('tableName'), report, now));
const queues = connectQueues();

const run = runReplayStep({
  table,
  now,
  report,
  enqueueAttempts: enqueueAttempts(queues, deliveryQueueUrls),
  sendReplayStep: sendReplayStep(queues, setting('replayQueueUrl')),
});

export const handler = withRequestId(
  queueHandler(replayStep, {
    now,
    queue: 'replay',
    returnMessages: returnMessages(queues, setting('replayQueueUrl')),
    sendToDeadLetters: sendToDeadLetters(queues, setting('replayDeadLetterQueueUrl')),
    process: (steps, timeLeft) => Promise.all(steps.map((step) => run(step, timeLeft))),
  }),
);
