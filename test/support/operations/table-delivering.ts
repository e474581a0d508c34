import type { Table } from '#shared/aws/clients.ts';
import { readAttemptTimes } from '#shared/aws/table/attempt-times.ts';
import { cancelDelivery, claimAttempt, recordAttempt, releaseAttempt } from '#shared/aws/table/attempts.ts';
import { noteLastDelivery, readLiveEndpoint } from '#shared/aws/table/endpoints.ts';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import type { SentRequest } from '../http/sent-request.ts';
import { startOfTest } from '../values/builders.ts';
import { Delivering } from './delivering.ts';

/** One delivery function of the slow lane over a table of DynamoDB, with a clock that only the test moves. */
export function tableDelivering(
  table: Table,
  receive: (request: SentRequest) => Promise<PostResult>,
  startedAt: number,
) {
  const scheduled: DueAttempt[] = [];
  const world = new Delivering({
    receiver: (_, request) => receive(request),
    deps: () => ({
      readLiveEndpoint: readLiveEndpoint(table),
      claimAttempt: claimAttempt(table),
      releaseAttempt: releaseAttempt(table),
      recordAttempt: recordAttempt(table),
      cancelDelivery: cancelDelivery(table),
      readAttemptTimes: readAttemptTimes(table),
      noteLastDelivery: noteLastDelivery(table),
      passOn: null,
      scheduleAttempt: async (due) => void scheduled.push(due),
    }),
  });
  world.clock.pass(startedAt - startOfTest);
  return {
    clock: world.clock,
    scheduled,
    deliver: (batch: readonly DueAttempt[]) => world.deliver(...batch),
  };
}

/** An attempt of a delivery that has come due. */
export function dueFor(
  { customerId, webhookId, id }: Pick<Delivery, 'customerId' | 'webhookId' | 'id'>,
  attempt = 1,
): DueAttempt {
  return { key: { customerId, webhookId, id }, attempt };
}
