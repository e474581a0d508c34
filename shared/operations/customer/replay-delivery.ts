import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { storeReplay } from '#shared/aws/table/replays/store-replay.ts';
import { problem } from '#shared/contract/problem.ts';
import { type Delivery, type DeliveryKey, replayOf } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { activeEndpoint, found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { freshSeed, type Seed } from '#shared/operations/seed.ts';
import { type EnqueueDeps, enqueueFirstAttempt } from './enqueue-first-attempt.ts';

type Deps = EnqueueDeps & Pick<Needs, 'table' | 'now' | 'randomBytes'>;

/** Sends the event of a finished delivery again: the same event id and the same bytes, as a new delivery. */
export function replayDelivery(deps: Deps) {
  return async (key: DeliveryKey, seed: Seed = freshSeed(deps)): Promise<Delivery> => {
    const { table, now } = deps;
    const [stored, read] = await Promise.all([
      readEndpoint(table, key.customerId, key.webhookId),
      readDelivery(table, key),
    ]);
    const original = found(read);
    const endpoint = activeEndpoint(stored);
    if (original.status === 'pending') throw problem('delivery_in_progress');

    const replay = replayOf(original, deliveryId(seed.at, seed.entropy('delivery'), seed.partitionsOf(endpoint)));
    const earlier = seed.isRepeated ? await readDelivery(table, replay) : null;
    if (earlier !== null) return earlier;
    // Due for the sweep at once: if this request fails here, no message continues the delivery.
    if (!(await storeReplay(table, replay, now(), null))) throw problem('not_found');
    await enqueueFirstAttempt(deps, endpoint, replay);
    return replay;
  };
}
