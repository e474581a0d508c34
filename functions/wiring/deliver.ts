import { scheduleAttempt } from '#shared/aws/attempt-scheduler.ts';
import { connectKeys, connectQueues, connectSchedules, connectServedTable } from '#shared/aws/clients.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { sendNotice } from '#shared/aws/queues/notice-queue.ts';
import { returnMessages } from '#shared/aws/queues/return-messages.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { decryptSecret } from '#shared/aws/secret-cipher.ts';
import { groupReads, groupWrites } from '#shared/aws/table/grouped-requests.ts';
import { dueAttempt } from '#shared/contract/messages/delivery-message.ts';
import type { Lane } from '#shared/domain/lane.ts';
import { deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import { countSetting, optionalSetting, setting } from '#shared/runtime/environment.ts';
import { readLocalSettings } from '#shared/runtime/local-settings.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { after, monotonic, now, randomBytes } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { deliveryQueueUrls } from './delivery-queues.ts';
import { headerSettings } from './header-settings.ts';
import { postEvent } from './outbound.ts';
import { withRetention } from './with-retention.ts';

const served = withRetention(connectServedTable(setting('tableName'), report, now));
/** Claims go with claims, and records with records: neither waits for the others. */
const table = {
  ...served,
  groups: { claims: groupWrites(served), records: groupWrites(served), endpoints: groupReads(served) },
};
const queues = connectQueues();
/**
 * A KMS key that is taken away stops the signing within five minutes; docs/scaling.md has the cost of this time. A
 * rotated secret has another ciphertext, so its old entry is never used again. An entry takes under 1 KB.
 */
const secretCache = { maxEntries: 10_000, timeToLive: 5 * 60_000, now, monotonic };
const scheduleTarget = {
  group: setting('scheduleGroup'),
  roleArn: setting('schedulerRoleArn'),
  queueUrls: deliveryQueueUrls,
};

const noticesQueueUrl = optionalSetting('noticesQueueUrl');
const noticeOrigin = { stage: setting('stage'), consoleUrl: optionalSetting('consoleUrl') ?? '' };

const noticeSender =
  noticesQueueUrl === undefined ? undefined : sendNotice(queues, noticesQueueUrl, noticeOrigin, table);

/** Builds the Lambda handler of the delivery queue of one lane. */
export function deliveryHandler(lane: Lane) {
  return withRequestId(
    queueHandler(dueAttempt, {
      now,
      queue: lane === 'slow' ? 'slow_delivery' : 'delivery',
      returnMessages: returnMessages(queues, deliveryQueueUrls[lane]),
      sendToDeadLetters: sendToDeadLetters(queues, setting('deliveryDeadLetterQueueUrl')),
      process: deliverAttempts({
        table,
        now,
        monotonic,
        after,
        randomBytes,
        report,
        dueToleranceMs: readLocalSettings().dueToleranceMs,
        ...headerSettings,
        postEvent,
        decryptSecret: decryptSecret(connectKeys(), setting('secretsKeyArn'), secretCache),
        scheduleAttempt: scheduleAttempt(connectSchedules(), scheduleTarget, now),
        noticeAfter: countSetting('noticeAfter'),
        sendNotice: noticeSender,
        lane,
        enqueueAttempts: enqueueAttempts(queues, deliveryQueueUrls),
      }),
    }),
  );
}
