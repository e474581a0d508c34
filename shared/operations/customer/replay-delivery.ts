import { problem } from '#shared/contract/problem.ts';
import {
  type Delivery,
  type DeliveryKey,
  nextAttempt,
  type Replay,
  replayOf,
} from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { laneOf } from '#shared/domain/lane.ts';
import { activeEndpoint, found } from '#shared/operations/found.ts';
import type {
  Clock,
  EnqueueAttempts,
  RandomBytes,
  ReadDelivery,
  ReadEndpoint,
  Report,
  StoreReplay,
} from '#shared/operations/ports.ts';

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly readEndpoint: ReadEndpoint;
  readonly readDelivery: ReadDelivery;
  readonly storeReplay: StoreReplay;
  readonly enqueueAttempts: EnqueueAttempts;
  readonly report: Report;
};

/** Sends the event of a finished delivery again: the same event id and the same bytes, as a new delivery. */
export function replayDelivery(deps: Deps) {
  return async (key: DeliveryKey): Promise<Delivery> => {
    const [stored, read] = await Promise.all([
      deps.readEndpoint(key.customerId, key.webhookId),
      deps.readDelivery(key),
    ]);
    const original = found(read);
    const endpoint = activeEndpoint(stored);
    if (original.status === 'pending') throw problem('delivery_in_progress');

    const replay = newReplay(deps, original, endpoint.deliveryPartitions);
    // Due for the sweep at once: if this request fails here, no message continues the delivery.
    if (!(await deps.storeReplay(replay, deps.now(), null))) throw problem('not_found');
    await enqueueFirstAttempt(deps, endpoint, replay);
    return replay;
  };
}

function newReplay(deps: Deps, original: Delivery, partitions: number): Replay {
  const id = deliveryId(deps.now(), deps.randomBytes(10), partitions);
  return replayOf(original, id);
}

/** If the queue refuses, the replay stays stored and waits for the next sweep. */
async function enqueueFirstAttempt(deps: Deps, endpoint: Endpoint, replay: Delivery): Promise<void> {
  try {
    const refused = await deps.enqueueAttempts([nextAttempt(replay)], laneOf(endpoint));
    if (refused.length > 0) throw new Error('Refused by the queue');
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'enqueue', delivery: replay, cause });
  }
}
