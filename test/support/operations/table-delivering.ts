import type { Table } from '#shared/aws/clients.ts';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { SentRequest } from '../http/sent-request.ts';
import { groupedTable } from '../table/table-ports.ts';
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
      table: groupedTable(table),
      lane: 'slow',
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
