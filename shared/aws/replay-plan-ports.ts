import type { Table } from './clients.ts';
import type { Backoff } from './table/backoff.ts';
import { listEventReplays, readReplayStates } from './table/replays/event-replays.ts';
import { countReplayable } from './table/replays/replayable-deliveries.ts';

/** The reads of a plan of bulk replays. */
export function replayPlanPorts(table: Table, backoff: Backoff) {
  return {
    countReplayable: countReplayable(table),
    readReplayStates: readReplayStates(table, backoff),
    listEventReplays: listEventReplays(table),
  };
}
