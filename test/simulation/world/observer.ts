import { originalOf } from '#shared/domain/delivery.ts';
import type { RecordTable, TableObserver } from '../../support/table/record-table.ts';
import { everyStep } from '../invariants/every-step.ts';
import type { Host, Invocation } from './invocation.ts';
import type { Journal, Violation } from './journal.ts';

type Observed = Host & {
  readonly journal: Journal;
  readonly table: RecordTable;
  /** The invocation that writes the table at this moment. */
  readonly actor: Invocation | null;
  report(violations: readonly Violation[]): void;
};

/**
 * Records every change of deliveries and events, and checks the promises about each write.
 *
 * @param onWaiting called when a delivery waits
 */
export function observe(world: Observed, onWaiting: () => void): TableObserver {
  const { journal, timeline } = world;
  const from = () => ({ at: timeline.now, invocation: world.actor });
  return {
    onEndpoints: (customerId) => world.report(everyStep.ofEndpoints(world.table, customerId)),
    onBulkReplay: (before, after) => {
      if (before === null) {
        const deliveries = [...world.table.deliveries].map(({ delivery }) => delivery);
        journal.bulkReplays.push({ at: timeline.now, job: after, deliveries });
      }
      world.report(everyStep.ofBulkReplay(world.table, before, after));
    },
    onFanOut: (customerId, subjectId, fanOut) =>
      void journal.fanOuts.push({ ...from(), customerId, subjectId, fanOut }),
    onDelivery: (before, after) => {
      const [was, is] = [before?.delivery ?? null, after.delivery];
      if (is.claim !== null && is.claim.fencingToken !== was?.claim?.fencingToken)
        journal.claims.push({ ...from(), delivery: is });
      if (was?.claim != null && is.attempts < was.attempts) journal.released.push({ ...from(), delivery: was });
      if (was !== null && is.log.length > was.log.length) journal.recorded.push({ ...from(), before: was, after: is });
      if (was === null && is.replayOf !== null) {
        const source = world.table.delivery(originalOf({ ...is, replayOf: is.replayOf }));
        const sourceStatus = source?.delivery.status ?? 'unknown';
        journal.replays.push({ replay: is, at: timeline.now, sourceStatus, invocation: world.actor });
      }
      if (after.dueAt !== null) onWaiting();
      world.report(everyStep.ofDelivery(before, after));
    },
  };
}
