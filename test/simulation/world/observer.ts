import type { DeliveryKey } from '#shared/domain/delivery.ts';
import type { BulkReplayRow, DeliveryRow, TableObserver } from '../../support/memory/memory-table.ts';
import type { Invocation } from './invocation.ts';
import type { Journal } from './journal.ts';

type Deps = {
  readonly now: () => number;
  readonly journal: Journal;
  /** The invocation that writes the table at this moment. */
  readonly actor: () => Invocation | null;
  readonly statusOf: (key: DeliveryKey) => string;
  /** Called for every write, after it is in the journal. */
  readonly onDelivery: (before: DeliveryRow | null, after: DeliveryRow) => void;
  readonly onEndpoints: (customerId: string) => void;
  readonly onBulkReplay: (before: BulkReplayRow | null, after: BulkReplayRow) => void;
  readonly deliveries: () => Iterable<DeliveryRow>;
  readonly onStored: TableObserver['onStored'];
};

/** Records every change of deliveries and events. */
export function observe({
  now,
  journal,
  actor,
  statusOf,
  onDelivery,
  onEndpoints,
  onBulkReplay,
  deliveries,
  onStored,
}: Deps): TableObserver {
  return {
    onStored,
    onEndpoints,
    onBulkReplay: (before, after) => {
      if (before === null) {
        const all = [...deliveries()].map(({ delivery }) => delivery);
        journal.bulkReplays.push({ at: now(), job: after.job, deliveries: all });
      }
      onBulkReplay(before, after);
    },
    onFanOut: (customerId, subjectId, fanOut) =>
      void journal.fanOuts.push({ at: now(), invocation: actor(), customerId, subjectId, fanOut }),
    onDelivery: (before, after) => {
      const [was, is] = [before?.delivery ?? null, after.delivery];
      const invocation = actor();
      if (is.claim !== null && is.claim.fencingToken !== was?.claim?.fencingToken)
        journal.claims.push({ at: now(), invocation, delivery: is });
      if (was?.claim != null && is.attempts < was.attempts)
        journal.released.push({ at: now(), invocation, delivery: was });
      if (was !== null && is.log.length > was.log.length)
        journal.recorded.push({ at: now(), invocation, before: was, after: is });
      if (was === null && is.replayOf !== null)
        journal.replays.push({ replay: is, sourceStatus: statusOf({ ...is, id: is.replayOf }), invocation });
      onDelivery(before, after);
    },
  };
}
