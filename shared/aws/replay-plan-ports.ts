import type { Table } from './clients.ts';
import type { Backoff } from './table/backoff.ts';
import { hasFirstDelivery } from './table/deliveries/event-deliveries.ts';
import { readEndpoint } from './table/endpoints/endpoints.ts';
import { listEventReplays, readReplayStates } from './table/replays/event-replays.ts';
import { countReplayable } from './table/replays/replayable-deliveries.ts';

/** The reads of a plan of bulk replays. */
export function replayPlanPorts(table: Table, backoff: Backoff) {
  return {
    readEndpoint: readEndpoint(table),
    hasFirstDelivery: hasFirstDelivery(table),
    countReplayable: countReplayable(table, backoff),
    readReplayStates: readReplayStates(table, backoff),
    listEventReplays: listEventReplays(table),
  };
}
