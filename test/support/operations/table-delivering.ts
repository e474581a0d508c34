import type { Table } from '#shared/aws/clients.ts';
import { readAttemptTimes } from '#shared/aws/table/attempt-times.ts';
import { cancelDelivery, claimAttempt, recordAttempt, releaseAttempt } from '#shared/aws/table/attempts.ts';
import { clearSlow, markSlow, noteLastDelivery, readLiveEndpoint } from '#shared/aws/table/endpoints.ts';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import { deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import { after } from '#shared/runtime/system.ts';
import { postTo, type SentRequest } from '../http/sent-request.ts';
import { openSealed } from '../values/builders.ts';
import { countingBytes, createClock, createReports } from './deps.ts';

/** One delivery function over a table of DynamoDB, with a clock that only the test moves. */
export function tableDelivering(
  table: Table,
  receive: (request: SentRequest) => Promise<PostResult>,
  startedAt: number,
) {
  const clock = createClock(startedAt);
  const reports = createReports();
  const scheduled: DueAttempt[] = [];
  const run = deliverAttempts({
    now: clock.now,
    monotonic: clock.now,
    dueToleranceMs: 0,
    serviceName: 'Service',
    standardWebhooks: true,
    randomBytes: countingBytes(),
    report: reports.report,
    postEvent: postTo(receive),
    decryptSecret: openSealed,
    readLiveEndpoint: readLiveEndpoint(table),
    claimAttempt: claimAttempt(table),
    releaseAttempt: releaseAttempt(table),
    recordAttempt: recordAttempt(table),
    cancelDelivery: cancelDelivery(table),
    readAttemptTimes: readAttemptTimes(table),
    noteLastDelivery: noteLastDelivery(table),
    after,
    markSlow: markSlow(table),
    clearSlow: clearSlow(table),
    passOn: null,
    scheduleAttempt: async (due) => void scheduled.push(due),
  });
  const deliver = (batch: readonly DueAttempt[]) => run(batch, () => 30_000);
  return { clock, scheduled, events: reports.events, deliver };
}

/** An attempt of a delivery that has come due. */
export function dueFor(
  { customerId, webhookId, id }: Pick<Delivery, 'customerId' | 'webhookId' | 'id'>,
  attempt = 1,
): DueAttempt {
  return { key: { customerId, webhookId, id }, attempt };
}
