import type { MemoryTable, TableObserver } from '../../support/memory/memory-table.ts';
import { everyStep } from '../invariants/every-step.ts';
import type { Invocation } from './invocation.ts';
import type { Journal, Violation } from './journal.ts';
import type { Timeline } from './timeline.ts';

type Observed = {
  readonly journal: Journal;
  readonly timeline: Timeline;
  readonly table: MemoryTable;
  readonly report: (violations: readonly Violation[]) => void;
};

/**
 * Records every change of deliveries and events, and checks the promises about each write.
 *
 * @param actor the invocation that writes the table at this moment
 * @param onWaiting called when a delivery waits
 */
export function observe(
  world: Observed,
  actor: () => Invocation | null,
  onWaiting: () => void,
): TableObserver {
  const { journal, timeline } = world;
  const from = () => ({ at: timeline.now, invocation: actor() });
  return {
    onStored: (kind, written, read) => world.report(everyStep.ofStored(kind, written, read)),
    onEndpoints: (customerId) => world.report(everyStep.ofEndpoints(world.table, customerId)),
    onBulkReplay: (before, after) => {
      if (before === null) {
        const deliveries = [...world.table.deliveries].map(({ delivery }) => delivery);
        journal.bulkReplays.push({ at: timeline.now, job: after.job, deliveries });
      }
      world.report(everyStep.ofBulkReplay(world.table, before, after));
    },
    onFanOut: (customerId, subjectId, fanOut) =>
      void journal.fanOuts.push({ ...from(), customerId, subjectId, fanOut }),
    onDelivery: (before, after) => {
      const [was, is] = [before?.delivery ?? null, after.delivery];
      if (is.claim !== null && is.claim.fencingToken !== was?.claim?.fencingToken)
        journal.claims.push({ ...from(), delivery: is });
      if (was?.claim != null && is.attempts < was.attempts)
        journal.released.push({ ...from(), delivery: was });
      if (was !== null && is.log.length > was.log.length)
        journal.recorded.push({ ...from(), before: was, after: is });
      if (was === null && is.replayOf !== null) {
        const source = world.table.delivery({ ...is, id: is.replayOf });
        const sourceStatus = source?.delivery.status ?? 'unknown';
        journal.replays.push({ replay: is, sourceStatus, invocation: actor() });
      }
      if (after.dueAt !== null) onWaiting();
      world.report(everyStep.ofDelivery(before, after));
    },
  };
}
